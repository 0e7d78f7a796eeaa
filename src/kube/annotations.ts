/** What this program writes on its Node besides conditions; the lock is on the DaemonSet. */

/** The node was made unschedulable by this program, and by nobody else before it. */
export const DRAIN_ANNOTATION = 'pharos-host-upgrades.kontena.io/drain';
/** The host is about to reboot; the value is a JSON string with the time, as the original reads it. */
export const REBOOT_ANNOTATION = 'pharos-host-upgrades.kontena.io/reboot';
/** The boot that is to end with that reboot. The original does not know it. */
export const BOOT_ID_ANNOTATION = 'pharos-host-upgrades.kontena.io/reboot-boot-id';
/** Only ever there for a moment: its writing has every change fail that was sent before it. */
export const FENCE_ANNOTATION = 'pharos-host-upgrades.kontena.io/fence';
