/*
 * The states of an agent. @state: those of the machine that are this one. Where the machine only
 * waits (a spread, a jitter, a backoff) before it reads, nothing is held and nothing is out: that
 * is one state here.
 */
mtype = {
  IDLE,              /* @state done failed stopped */
  DOWN,              /* @state interrupted */
  START,             /* without a journal: src/service/recovery.ts */
  RECOVER_RELEASE,
  READY,             /* @state acquiring.spread acquiring.get acquiring.conflict acquiring.backoff */
  UPDATE,            /* @state acquiring.update */
  HELD,              /* @state acquiring.watch.held */
  STANDBY,           /* @state acquiring.watch.standby */
  UPDATE_WATCHING,   /* @state acquiring.watch.update */
  CONFLICT_WATCHING, /* @state acquiring.watch.conflict */
  VERIFYING,         /* @state locked.verifying.get locked.verifying.backoff */
  UPGRADING,         /* @state locked.upgrading */
  REPORTING,         /* @state locked.reporting */
  CONFIRM_DRAIN,     /* @state locked.draining.confirming locked.draining.backoff */
  DRAINING,          /* @state locked.draining.cordoning locked.draining.evicting */
  UNDRAINED,         /* @state locked.undrained */
  CONFIRM_REBOOT,    /* @state locked.rebooting.confirming locked.rebooting.backoff */
  MARKING,           /* @state locked.rebooting.marking */
  REQUESTING,        /* @state locked.rebooting.requesting */
  WAITING,           /* @state locked.rebooting.waiting */
  REBOOTED,          /* @state locked.rebooted.clearing locked.rebooted.backoff */
  UNDOING,           /* @state locked.undoing.clearing locked.undoing.backoff */
  UNCORDONING,       /* @state locked.uncordoning.patching locked.uncordoning.backoff */
  RELEASING,         /* @state releasing.get releasing.conflict releasing.backoff */
  FENCE,             /* @state releasing.fence */
  RELEASE,           /* @state releasing.update */
  /* The original's (original.pml). */
  O_START, O_START_RELEASE, O_IDLE, O_READY, O_WATCH, O_UPDATE, O_UPGRADING, O_DRAINING, O_REBOOTING,
  O_RELEASING, O_RELEASE
}
