# docker build -t host-upgrades:0.1.0 .
#
# The same sources give the same image. For one that is so to the bit, name the base by its digest
# (--build-arg NODE_IMAGE=node@sha256:…) and leave the time of the build out of it:
#   buildah build --timestamp=0 -t host-upgrades:0.1.0 .
#   docker buildx build --build-arg SOURCE_DATE_EPOCH=0 \
#     --output type=image,name=host-upgrades:0.1.0,rewrite-timestamp=true .
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim

FROM ${NODE_IMAGE} AS bundle
WORKDIR /source
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
COPY machines machines
COPY src src
RUN npm run bundle && npm run build
# What is bundled is given away with its licences.
RUN find $(npm ls --all --omit=dev --parseable | sed 1d) -maxdepth 1 -type f -iname 'licen[cs]e*' \
    | sort | xargs tail -n +1 >dist/LICENSES

# Why an upgrade failed stands in the host's journal, whose format only journalctl reads. Of its
# package nothing else is taken: no user, no unit, no machine id.
FROM ${NODE_IMAGE} AS journalctl
RUN apt-get update && apt-get install --yes --no-install-recommends systemd
RUN for file in $(ldd /usr/bin/journalctl | grep -o '/[^ ]*') /usr/bin/journalctl; do \
      folder=$(realpath "$(dirname "$file")") && mkdir -p "/journalctl$folder" && \
      cp --dereference "$file" "/journalctl$folder" || exit; \
    done

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="host-upgrades" \
      org.opencontainers.image.description="Keeps the machines under a Kubernetes cluster patched, one at a time" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.base.name="docker.io/library/node:24-bookworm-slim"
COPY --from=journalctl /journalctl /
COPY LICENSE package.json /usr/lib/host-upgrades/
COPY --from=bundle /source/dist /usr/lib/host-upgrades/dist
# The host's systemd and logind listen to root alone. What else root could do in the container the
# DaemonSet takes away: every capability, and the right to write.
USER 0:0
# Without a shell: signals reach the program. Probes are the DaemonSet's. A program that mostly waits
# needs neither room for young objects nor optimized code: a quarter of its memory.
ENTRYPOINT ["node", "--max-semi-space-size=1", "--optimize-for-size", "--no-turbofan", "--no-maglev", "/usr/lib/host-upgrades/dist/host-upgrades.js"]
CMD []
