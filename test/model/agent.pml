/*
 * One node of this program. A label names the machine's step that an option is: @step FROM EVENT ->
 * TO | TO; @inner is one that stays within a state of this model. Several states, or events, stand
 * for each of them. An event's suffix is what the lock said.
 */

/* context.lock, after a read. */
inline remember() {
  saw[me] = verdict(me);
  seen[me] = NOW;
  lost[me] = (lost[me] == NOW -> NOW : NONE)
}

/* No write is out, no watch open. */
inline settle(next) {
  st[me] = next;
  saw[me] = (saw[me] == MINE -> MINE : OTHERS);
  seen[me] = NONE;
  sent[me] = NONE;
  req[me] = NONE;
  newer[me] = 0;
  ended[me] = 0;
  behind[me] = 0
}

/* The record of a state with an effect is on the disk before the effect starts. */
inline flush(version) {
#ifdef POWER
  disk[me] = st[me];
  diskLost[me] = version
#else
  skip
#endif
}

/* Invariant 4: a run ends with the lock released, and with nothing under way that takes it. */
inline finish() {
#ifndef FORGET
  assert(lock != me && !lateAcquire[me]);
#endif
  assert(!cordoned[me] && !marked[me]);
  saw[me] = OTHERS;
  settle(IDLE);
  lost[me] = NONE;
  unlocked[me] = 0;
  upgraded[me] = 0;
  rebooted[me] = 0;
  flush(NONE)
}

inline enterReady() { settle(READY) }
inline enterReleasing() { saw[me] = OTHERS; settle(RELEASING) }

inline enterUpdate(state) {
  st[me] = state;
  send();
#if BROKEN != 5
  flush(sent[me])
#endif
}

/* What was lost before is settled: the object has changed since. */
inline enterLocked(next) {
  saw[me] = OTHERS;
  settle(next);
  lost[me] = NONE
}

inline enterUpgrading() {
  enterLocked(UPGRADING);
  unit[me] = 1;
  assert(!unlocked[me]);
  checkExclusion();
  flush(NONE)
}

/* locked.leaving: nothing of the run stays on the node. */
inline leave() {
  if
  :: marked[me] && rebooted[me] -> enterLocked(REBOOTED); flush(NONE)
  :: marked[me] && !rebooted[me] -> enterLocked(UNDOING); flush(NONE)
#if BROKEN == 8
  :: !marked[me] && !unlocked[me] -> enterReleasing()
#else
  :: !marked[me] && cordoned[me] -> enterLocked(UNCORDONING); flush(NONE)
  :: !marked[me] && !cordoned[me] && !unlocked[me] -> enterReleasing()
#endif
  :: !marked[me] && !cordoned[me] && unlocked[me] -> finish()
  fi
}

/* The lock was taken away: what follows does not count on it. */
inline loseLock() {
  unlocked[me] = 1;
  leave()
}

/* An acquire without an answer may have been carried out, or still be. */
inline loseUpdate() {
  giveUp();
#if BROKEN != 2
  lost[me] = sent[me]
#endif
}

/* guard maybeHeld */
#define maybeHeld (lost[me] != NONE || saw[me] == MINE)
#define isUpdating (at(UPDATE) || at(UPDATE_WATCHING))
#define isAcquiring \
  (at(READY) || at(HELD) || at(STANDBY) || at(CONFLICT_WATCHING))
#define isLocked \
  (at(VERIFYING) || at(UPGRADING) || at(REPORTING) || at(CONFIRM_DRAIN) || at(DRAINING) || \
    at(UNDRAINED) || at(CONFIRM_REBOOT) || at(MARKING) || at(REQUESTING) || at(WAITING) || \
    at(REBOOTED) || at(UNDOING) || at(UNCORDONING))
#define isInReleasing (at(RELEASING) || at(FENCE) || at(RELEASE))
#define isRun (isAcquiring || isUpdating || isLocked || isInReleasing)

/* The process is gone, and the journal is whole up to here. */
inline interrupt() {
  journal[me] = st[me];
  journalLost[me] = (isUpdating -> sent[me] : lost[me]);
#if BROKEN == 7
  journalLost[me] = NONE;
#endif
  giveUp();
  settle(DOWN);
  lost[me] = NONE
}

/* The host is gone, and with it what the journal had not flushed. */
inline losePower() {
  unit[me] = 0;
  rebooted[me] = 1;
#ifdef POWER
  journal[me] = disk[me];
  journalLost[me] = diskLost[me];
#else
  journal[me] = st[me];
#endif
  giveUp();
  saw[me] = OTHERS;
  settle(DOWN);
  lost[me] = NONE
}

#define inJournal(state) (journal[me] == state)
#define inJournalAcquiring \
  (inJournal(READY) || inJournal(HELD) || inJournal(STANDBY) || inJournal(CONFLICT_WATCHING) || \
    inJournal(UPDATE) || inJournal(UPDATE_WATCHING))
#define inJournalReleasing (inJournal(RELEASING) || inJournal(FENCE) || inJournal(RELEASE))
#define inJournalLocked (!inJournalAcquiring && !inJournalReleasing && !inJournal(IDLE))
/* About to reboot, if the upgrade asked for it; a reboot in between was the one. */
#define inJournalOnTheWay \
  (inJournal(REPORTING) || inJournal(CONFIRM_DRAIN) || inJournal(DRAINING) || \
    inJournal(CONFIRM_REBOOT) || inJournal(MARKING))
#define isProven (rebooted[me] && marked[me])

inline forget() {
  journal[me] = IDLE;
  journalLost[me] = NONE;
  upgraded[me] = 0;
  unlocked[me] = 0;
  saw[me] = OTHERS
}

inline resume(next) {
  journal[me] = IDLE;
  journalLost[me] = NONE;
  rebooted[me] = (next == REBOOTED);
  settle(next)
}

proctype Agent(byte me) {
  do
  WIRE

  :: d_step { at(IDLE) -> settle(READY); flush(NONE) }
    /* @start acquiring.spread | acquiring.get */

  /* acquiring */
  /* @inner acquiring.spread spread.elapsed -> acquiring.get */
  /* @inner acquiring.conflict conflict.elapsed -> acquiring.get */
  /* @inner acquiring.backoff backoff.elapsed -> acquiring.get */
  /* @inner acquiring.get api.failed -> acquiring.backoff */
  :: d_step { at(READY) && lock != NOBODY && lock != me ->
      remember();
      assert(lost[me] == NONE);
      settle(HELD)
      /* @step acquiring.get lock.read:others -> acquiring.watch.held */
    }
  :: d_step { at(READY) && (lock == NOBODY || lock == me) ->
      remember();
      enterUpdate(UPDATE)
      /* @step acquiring.get lock.read:free,lock.read:mine -> acquiring.update */
    }
  :: d_step { isUpdating && req[me] == DONE ->
#ifndef BYHAND
      assert(lock == me);
#endif
      enterUpgrading()
      /* @step acquiring.update,acquiring.watch.update lock.updated:mine -> locked.upgrading */
    }
  :: d_step { isUpdating && req[me] == DONE ->
      enterLocked(CONFIRM_DRAIN)
      /* @step acquiring.update,acquiring.watch.update lock.updated:mine -> locked.draining.confirming */
    }
  :: d_step { isUpdating && req[me] == DONE ->
      enterLocked(CONFIRM_REBOOT)
      /* @step acquiring.update,acquiring.watch.update lock.updated:mine -> locked.rebooting.confirming */
    }
  :: d_step { at(UPDATE) && req[me] == CLASH ->
#if BROKEN == 15
      req[me] = OUT
#else
      enterReady()
#endif
      /* @step acquiring.update lock.conflicted -> acquiring.conflict */
    }
  :: d_step { isUpdating && mayFail ->
      fail();
      loseUpdate();
      enterReady()
      /* @step acquiring.update,acquiring.watch.update api.failed -> acquiring.backoff */
    }
  :: d_step { isUpdating && mayFail && req[me] == OUT ->
      fail();
      enterReady()
      /* @step acquiring.update,acquiring.watch.update api.failed:refused -> acquiring.backoff */
    }
  :: d_step { isUpdating && mayFail ->
      fail();
#if BROKEN == 12
      giveUp();
      finish()
#else
      loseUpdate();
      enterReleasing()
#endif
      /* @step acquiring.update,acquiring.watch.update deadline.reached,stop.requested -> releasing.get */
    }
  :: d_step { isAcquiring && mayFail && maybeHeld ->
      fail();
      enterReleasing()
      /* @step acquiring.spread,acquiring.get,acquiring.conflict,acquiring.backoff,acquiring.watch.standby,acquiring.watch.conflict deadline.reached,stop.requested -> releasing.get */
    }
  :: d_step { isAcquiring && mayFail && !maybeHeld ->
      fail();
      finish()
      /* @step acquiring.spread,acquiring.get,acquiring.conflict,acquiring.backoff,acquiring.watch.held,acquiring.watch.standby,acquiring.watch.conflict deadline.reached -> failed */
      /* @step acquiring.spread,acquiring.get,acquiring.conflict,acquiring.backoff,acquiring.watch.held,acquiring.watch.standby,acquiring.watch.conflict stop.requested -> stopped */
    }

  /* acquiring.watch */
  /* @inner acquiring.watch.held lock.changed:others -> acquiring.watch.held */
  :: d_step { at(HELD) && behind[me] && lock != NOBODY && lock != me -> behind[me] = 0 }
  :: d_step { at(HELD) && behind[me] && (lock == NOBODY || lock == me) ->
      remember();
      behind[me] = 0;
      st[me] = STANDBY
      /* @step acquiring.watch.held lock.changed:free,lock.changed:mine -> acquiring.watch.standby */
    }
  :: d_step { at(STANDBY) && behind[me] && lock != NOBODY && lock != me ->
      saw[me] = OTHERS;
      settle(HELD)
      /* @step acquiring.watch.standby lock.changed:others -> acquiring.watch.held */
    }
  /* @inner acquiring.watch.standby lock.changed:free,lock.changed:mine -> acquiring.watch.standby */
  :: d_step { at(STANDBY) && behind[me] && (lock == NOBODY || lock == me) ->
      remember();
      behind[me] = 0
    }
  :: d_step { at(STANDBY) ->
      enterUpdate(UPDATE_WATCHING)
      /* @step acquiring.watch.standby standby.elapsed -> acquiring.watch.update */
    }
  :: d_step { at(HELD) || at(STANDBY) ->
#if BROKEN == 6
      enterUpgrading()
#else
      enterReady()
#endif
      /* @step acquiring.watch.held,acquiring.watch.standby lock.watch.ended -> acquiring.get */
      /* @step acquiring.watch.held,acquiring.watch.standby api.failed -> acquiring.backoff */
    }
  /* @inner acquiring.watch.update lock.changed:free,lock.changed:mine,lock.changed:others -> acquiring.watch.update */
  :: d_step { at(UPDATE_WATCHING) && behind[me] ->
      saw[me] = verdict(me);
      seen[me] = NOW;
      newer[me] = 1;
      behind[me] = 0
    }
  /* @inner acquiring.watch.update lock.watch.ended -> acquiring.watch.update */
  :: d_step { at(UPDATE_WATCHING) && !ended[me] -> ended[me] = 1; behind[me] = 0 }
#if BROKEN == 11
  :: d_step { at(UPDATE_WATCHING) && mayFail -> fail(); giveUp(); enterReady() }
#endif
  :: d_step { at(UPDATE_WATCHING) && req[me] == CLASH ->
      if
      :: !ended[me] && saw[me] == OTHERS -> settle(HELD)
      :: !ended[me] && saw[me] == FREE && newer[me] ->
        st[me] = STANDBY;
        req[me] = NONE;
        sent[me] = NONE;
        newer[me] = 0
      :: ended[me] -> enterReady()
      :: else ->
        st[me] = CONFLICT_WATCHING;
        req[me] = NONE;
        sent[me] = NONE;
        seen[me] = NONE;
        newer[me] = 0
      fi
      /* @step acquiring.watch.update lock.conflicted -> acquiring.watch.held | acquiring.watch.standby | acquiring.conflict | acquiring.watch.conflict */
    }
  /* @inner acquiring.watch.conflict lock.changed:mine -> acquiring.watch.conflict */
  :: d_step { at(CONFLICT_WATCHING) && behind[me] && lock == me -> saw[me] = MINE; behind[me] = 0 }
  :: d_step { at(CONFLICT_WATCHING) && behind[me] && lock == NOBODY ->
      remember();
      behind[me] = 0;
      st[me] = STANDBY
      /* @step acquiring.watch.conflict lock.changed:free -> acquiring.watch.standby */
    }
  :: d_step { at(CONFLICT_WATCHING) && behind[me] && lock != NOBODY && lock != me ->
      saw[me] = OTHERS;
      settle(HELD)
      /* @step acquiring.watch.conflict lock.changed:others -> acquiring.watch.held */
    }
  :: d_step { at(CONFLICT_WATCHING) ->
      enterReady()
      /* @step acquiring.watch.conflict conflict.elapsed,lock.watch.ended -> acquiring.get */
      /* @step acquiring.watch.conflict api.failed -> acquiring.backoff */
    }

  /* locked */
  /* @inner locked.verifying.get api.failed -> locked.verifying.backoff */
  /* @inner locked.verifying.backoff backoff.elapsed -> locked.verifying.get */
  :: d_step { at(VERIFYING) && lock == me ->
      enterUpgrading()
      /* @step locked.verifying.get lock.read:mine -> locked.upgrading */
    }
  :: d_step { at(VERIFYING) && lock != me ->
      loseLock()
      /* @step locked.verifying.get lock.read:free,lock.read:others -> locked.rebooted.clearing | locked.undoing.clearing | locked.uncordoning.patching | failed */
    }
  /* The host's part: it goes on without its process. */
  :: d_step { unit[me] -> unit[me] = 0 }
  /* @inner locked.upgrading upgrade.output -> locked.upgrading */
  :: d_step { at(UPGRADING) && !unit[me] ->
      upgraded[me] = 1;
      enterLocked(REPORTING);
      flush(NONE)
      /* @step locked.upgrading upgrade.finished,upgrade.failed -> locked.reporting */
    }
  :: d_step { at(REPORTING) ->
      leave()
      /* @step locked.reporting node.reported -> locked.rebooted.clearing | locked.undoing.clearing | locked.uncordoning.patching | releasing.get */
    }
  :: d_step { at(REPORTING) ->
      enterLocked(CONFIRM_DRAIN)
      /* @step locked.reporting node.reported -> locked.draining.confirming */
    }
  :: d_step { at(REPORTING) ->
      enterLocked(CONFIRM_REBOOT)
      /* @step locked.reporting node.reported -> locked.rebooting.confirming */
    }
  /* @inner locked.draining.confirming api.failed -> locked.draining.backoff */
  /* @inner locked.draining.backoff backoff.elapsed -> locked.draining.confirming */
#if BROKEN == 10
  :: d_step { at(CONFIRM_DRAIN) ->
#else
  :: d_step { at(CONFIRM_DRAIN) && lock == me ->
#endif
      cordoned[me] = 1;
      assert(lock == me && !unlocked[me]);
      enterLocked(DRAINING);
      flush(NONE)
      /* @step locked.draining.confirming lock.read:mine -> locked.draining.cordoning */
    }
  :: d_step { at(CONFIRM_DRAIN) && lock != me ->
      loseLock()
      /* @step locked.draining.confirming lock.read:free,lock.read:others -> locked.rebooted.clearing | locked.undoing.clearing | locked.uncordoning.patching | failed */
    }
  /* @inner locked.draining.cordoning node.cordoned -> locked.draining.evicting */
  /* @inner locked.draining.evicting pod.evicted,pod.blocked,pod.gone -> locked.draining.evicting */
  :: d_step { at(DRAINING) && mayFail ->
      fail();
      enterLocked(CONFIRM_DRAIN)
      /* @step locked.draining.cordoning api.failed -> locked.draining.backoff */
    }
  :: d_step { at(DRAINING) ->
      enterLocked(CONFIRM_REBOOT)
      /* @step locked.draining.evicting node.drained -> locked.rebooting.confirming */
    }
  :: d_step { at(DRAINING) && !upgraded[me] ->
      enterUpgrading()
      /* @step locked.draining.evicting node.drained -> locked.upgrading */
    }
  :: d_step { (at(CONFIRM_DRAIN) || at(DRAINING)) && mayFail ->
      fail();
      enterLocked(UNDRAINED);
      flush(NONE)
      /* @step locked.draining.confirming,locked.draining.cordoning,locked.draining.evicting,locked.draining.backoff drain.expired,window.closed -> locked.undrained */
      /* @step locked.draining.evicting drain.failed -> locked.undrained */
    }
  :: d_step { (at(CONFIRM_DRAIN) || at(DRAINING)) && mayFail ->
      fail();
      leave()
      /* @step locked.draining.confirming,locked.draining.cordoning,locked.draining.evicting,locked.draining.backoff window.closed -> locked.rebooted.clearing | locked.undoing.clearing | locked.uncordoning.patching | releasing.get */
    }
  :: d_step { at(UNDRAINED) ->
      leave()
      /* @step locked.undrained node.reported -> locked.rebooted.clearing | locked.undoing.clearing | locked.uncordoning.patching | releasing.get */
    }
  /* @inner locked.rebooting.confirming api.failed -> locked.rebooting.backoff */
  /* @inner locked.rebooting.backoff backoff.elapsed -> locked.rebooting.confirming */
  :: d_step { at(CONFIRM_REBOOT) && lock == me ->
      marked[me] = 1;
      assert(lock == me && !unlocked[me]);
      enterLocked(MARKING);
      flush(NONE)
      /* @step locked.rebooting.confirming lock.read:mine -> locked.rebooting.marking */
    }
  :: d_step { at(CONFIRM_REBOOT) && lock != me ->
      loseLock()
      /* @step locked.rebooting.confirming lock.read:free,lock.read:others -> locked.rebooted.clearing | locked.undoing.clearing | locked.uncordoning.patching | failed */
    }
  :: d_step { at(MARKING) && mayFail ->
      fail();
      enterLocked(CONFIRM_REBOOT)
      /* @step locked.rebooting.marking api.failed -> locked.rebooting.backoff */
    }
  :: d_step { at(MARKING) ->
      enterLocked(REQUESTING);
      flush(NONE)
      /* @step locked.rebooting.marking reboot.marked -> locked.rebooting.requesting */
    }
  :: d_step { (at(CONFIRM_REBOOT) || at(MARKING)) && mayFail ->
      fail();
      leave()
      /* @step locked.rebooting.confirming,locked.rebooting.marking,locked.rebooting.backoff window.closed -> locked.rebooted.clearing | locked.undoing.clearing | locked.uncordoning.patching | releasing.get */
    }
  :: d_step { at(REQUESTING) ->
      enterLocked(WAITING)
      /* @step locked.rebooting.requesting reboot.requested -> locked.rebooting.waiting */
    }
  :: d_step { at(REQUESTING) || at(WAITING) ->
      enterLocked(UNDOING);
      flush(NONE)
      /* @step locked.rebooting.requesting reboot.refused -> locked.undoing.clearing */
      /* @step locked.rebooting.requesting,locked.rebooting.waiting reboot.expired -> locked.undoing.clearing */
    }
  /* The host does as it was told. */
  :: d_step { at(WAITING) ->
      losePower()
      /* @step locked.rebooting.waiting run.interrupted,stop.requested -> interrupted */
    }
  /* @inner locked.rebooted.clearing api.failed -> locked.rebooted.backoff */
  /* @inner locked.rebooted.backoff backoff.elapsed -> locked.rebooted.clearing */
  :: d_step { at(REBOOTED) ->
      marked[me] = 0;
      rebooted[me] = 0;
      leave()
      /* @step locked.rebooted.clearing reboot.cleared -> locked.uncordoning.patching | releasing.get | failed */
    }
  :: d_step { at(REBOOTED) && !upgraded[me] ->
      marked[me] = 0;
      rebooted[me] = 0;
      enterLocked(VERIFYING)
      /* @step locked.rebooted.clearing reboot.cleared -> locked.verifying.get */
    }
  /* @inner locked.undoing.clearing api.failed -> locked.undoing.backoff */
  /* @inner locked.undoing.backoff backoff.elapsed -> locked.undoing.clearing */
  :: d_step { at(UNDOING) ->
      marked[me] = 0;
      leave()
      /* @step locked.undoing.clearing reboot.cleared -> locked.uncordoning.patching | releasing.get | failed */
    }
  /* @inner locked.uncordoning.patching api.failed -> locked.uncordoning.backoff */
  /* @inner locked.uncordoning.backoff backoff.elapsed -> locked.uncordoning.patching */
  :: d_step { at(UNCORDONING) ->
      cordoned[me] = 0;
      leave()
      /* @step locked.uncordoning.patching node.uncordoned -> releasing.get | failed */
    }

  /* releasing */
  /* @inner releasing.get api.failed -> releasing.backoff */
  /* @inner releasing.conflict conflict.elapsed -> releasing.get */
  /* @inner releasing.backoff backoff.elapsed -> releasing.get */
#if BROKEN == 4
  :: d_step { at(RELEASING) ->
#else
  :: d_step { at(RELEASING) && lock == me ->
#endif
      remember();
      saw[me] = OTHERS;
      st[me] = RELEASE;
      send();
      lost[me] = NONE;
      flush(NONE)
      /* @step releasing.get lock.read:mine -> releasing.update */
    }
#if BROKEN != 3
  :: d_step { at(RELEASING) && lock != me && lost[me] == NOW ->
      remember();
      saw[me] = OTHERS;
      st[me] = FENCE;
      send();
      flush(lost[me])
      /* @step releasing.get lock.read:free -> releasing.fence */
    }
#endif
#if BROKEN == 3
  :: d_step { at(RELEASING) && lock != me ->
#else
  :: d_step { at(RELEASING) && lock != me && lost[me] != NOW ->
#endif
      finish()
      /* @step releasing.get lock.read:free,lock.read:others -> done | failed */
    }
  :: d_step { at(FENCE) && req[me] == DONE ->
      st[me] = RELEASE;
      send();
      lost[me] = NONE;
      flush(NONE)
      /* @step releasing.fence lock.updated:mine -> releasing.update */
    }
  :: d_step { at(FENCE) && req[me] == CLASH ->
#if BROKEN == 13
      finish()
#else
      enterReleasing()
#endif
      /* @step releasing.fence lock.conflicted -> releasing.conflict */
    }
  :: d_step { at(RELEASE) && req[me] == DONE ->
      finish()
      /* @step releasing.update lock.updated:free -> done | failed */
    }
  :: d_step { at(RELEASE) && req[me] == CLASH ->
      enterReleasing()
      /* @step releasing.update lock.conflicted -> releasing.conflict */
    }
  :: d_step { (at(FENCE) || at(RELEASE)) && mayFail ->
      fail();
      giveUp();
#if BROKEN == 14
      finish()
#else
      enterReleasing()
#endif
      /* @step releasing.fence,releasing.update api.failed -> releasing.backoff */
    }
  :: d_step { (at(FENCE) || at(RELEASE)) && mayFail && req[me] == OUT ->
      fail();
      enterReleasing()
      /* @step releasing.fence,releasing.update api.failed:refused -> releasing.backoff */
    }

  /* @inner acquiring.*,locked.*,releasing.*,interrupted window.closed -> same */
  /* The process dies, anywhere, or is told to stop with the lock held. */
  :: d_step { isRun && mayFail ->
      fail();
      interrupt()
      /* @step acquiring.*,locked.*,releasing.* run.interrupted -> interrupted */
      /* @step locked.verifying.*,locked.upgrading,locked.draining.*,locked.undrained,locked.rebooting.*,locked.rebooted.*,locked.undoing.*,locked.uncordoning.* stop.requested -> interrupted */
    }
#ifdef POWER
  :: d_step { (isRun || at(DOWN)) && mayFail -> fail(); losePower() }
#endif
  /* Another process goes on with the run of the journal. */
  :: d_step { at(DOWN) && inJournalAcquiring ->
      lost[me] = journalLost[me];
      resume(READY)
      /* @step interrupted run.resumed -> acquiring.spread | acquiring.get */
    }
  :: d_step { at(DOWN) && inJournalReleasing ->
      lost[me] = journalLost[me];
      resume(RELEASING)
      /* @step interrupted run.resumed -> releasing.get */
    }
  :: d_step { at(DOWN) && inJournalLocked && rebooted[me] && (marked[me] || inJournalOnTheWay) ->
      resume(REBOOTED);
      flush(NONE)
      /* @step interrupted run.resumed -> locked.rebooted.clearing */
    }
#if BROKEN == 9
  :: d_step { at(DOWN) && (inJournal(VERIFYING) || inJournal(UPGRADING)) -> resume(RELEASING) }
#endif
  :: d_step { at(DOWN) && (inJournal(VERIFYING) || inJournal(UPGRADING)) && !isProven ->
      resume(VERIFYING)
      /* @step interrupted run.resumed -> locked.verifying.get */
    }
  :: d_step { at(DOWN) && inJournal(REPORTING) && !isProven ->
      resume(REPORTING);
      flush(NONE)
      /* @step interrupted run.resumed -> locked.reporting */
    }
  :: d_step { at(DOWN) && (inJournal(CONFIRM_DRAIN) || inJournal(DRAINING)) && !isProven ->
      resume(CONFIRM_DRAIN)
      /* @step interrupted run.resumed -> locked.draining.confirming */
    }
  :: d_step { at(DOWN) && inJournalOnTheWay && !inJournal(REPORTING) && !isProven ->
      resume(CONFIRM_REBOOT)
      /* @step interrupted run.resumed -> locked.rebooting.confirming */
    }
  /* It may not reboot any more. */
  :: d_step { at(DOWN) && inJournalOnTheWay && !inJournal(REPORTING) && !isProven ->
      journal[me] = IDLE;
      journalLost[me] = NONE;
      rebooted[me] = 0;
      leave()
      /* @step interrupted run.resumed -> locked.undoing.clearing | locked.uncordoning.patching | releasing.get */
    }
  :: d_step { at(DOWN) && (inJournal(REQUESTING) || inJournal(WAITING)) && !isProven ->
      resume(WAITING)
      /* @step interrupted run.resumed -> locked.rebooting.waiting */
    }
  :: d_step { at(DOWN) && inJournal(REBOOTED) ->
      resume(REBOOTED);
      flush(NONE)
      /* @step interrupted run.resumed -> locked.rebooted.clearing */
    }
  :: d_step { at(DOWN) && inJournal(UNDOING) && !isProven ->
      resume(UNDOING);
      flush(NONE)
      /* @step interrupted run.resumed -> locked.undoing.clearing */
    }
  :: d_step { at(DOWN) && (inJournal(UNDRAINED) || inJournal(UNCORDONING)) && !isProven ->
      resume(UNCORDONING);
      flush(NONE)
      /* @step interrupted run.resumed -> locked.uncordoning.patching */
    }

#ifdef FORGET
  /* The next process finds no journal, or none of a run: src/service/recovery.ts. */
  :: d_step { at(IDLE) && mayFail -> fail(); settle(START) }
  :: d_step { at(DOWN) && mayFail -> fail(); forget(); settle(START) }
  :: d_step { at(START) && lock == me && unit[me] ->
      enterLocked(VERIFYING)
      /* @start locked.verifying.get */
    }
  :: d_step { at(START) && !(lock == me && unit[me]) && marked[me] && rebooted[me] ->
      unlocked[me] = (lock != me);
      enterLocked(REBOOTED);
      flush(NONE)
      /* @start locked.rebooted.clearing */
    }
  :: d_step { at(START) && !(lock == me && unit[me]) && marked[me] && !rebooted[me] ->
      unlocked[me] = (lock != me);
      enterLocked(WAITING);
      flush(NONE)
      /* @start locked.rebooting.waiting */
    }
  :: d_step { at(START) && !(lock == me && unit[me]) && !marked[me] && cordoned[me] ->
      unlocked[me] = (lock != me);
      enterLocked(UNCORDONING);
      flush(NONE)
      /* @start locked.uncordoning.patching */
    }
  :: d_step { at(START) && lock == me && !busy(me) ->
      seen[me] = NOW;
      st[me] = RECOVER_RELEASE;
      send()
    }
  :: d_step { at(START) && lock != me && !marked[me] && !cordoned[me] ->
      rebooted[me] = 0;
      settle(IDLE)
    }
  :: d_step { at(RECOVER_RELEASE) && req[me] == DONE -> rebooted[me] = 0; settle(IDLE) }
  :: d_step { at(RECOVER_RELEASE) && req[me] == CLASH -> settle(START) }
  :: d_step { at(RECOVER_RELEASE) && mayFail -> fail(); giveUp(); settle(START) }
#endif
  od
}
