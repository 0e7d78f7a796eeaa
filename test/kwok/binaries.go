//go:build binaries

// Package kwok pins the stand-in for the kubelets: building it is build.ts's job.
package kwok

import _ "sigs.k8s.io/kwok/pkg/kwok/cmd"
