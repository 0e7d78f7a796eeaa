/*
 * One node of the Go program (reference: its documentation and traces), with its faults as far as
 * they touch the lock: it keeps no journal, verifies nothing again, leaves a lost acquire alone when
 * its window ends, and ends its process for any failure. What it leaves cordoned after a failed
 * drain or reboot is its fault and is not counted as being down here.
 */

inline originalStarts() { giveUp(); saw[me] = OTHERS; settle(O_START); lost[me] = NONE }

proctype Original(byte me) {
  st[me] = O_IDLE;
  do
  WIRE
  :: d_step { at(O_IDLE) -> settle(O_READY) }

  :: d_step { at(O_READY) && lock != NOBODY && lock != me -> settle(O_WATCH) }
  :: d_step { at(O_READY) && (lock == NOBODY || lock == me) ->
      seen[me] = NOW; st[me] = O_UPDATE; send() }
  :: d_step { at(O_WATCH) && behind[me] && lock != NOBODY && lock != me -> behind[me] = 0 }
  :: d_step { at(O_WATCH) && behind[me] && (lock == NOBODY || lock == me) ->
      behind[me] = 0; seen[me] = NOW; st[me] = O_UPDATE; send() }
  :: d_step { at(O_WATCH) -> settle(O_READY) }
  :: d_step { at(O_UPDATE) && req[me] == DONE ->
      settle(O_UPGRADING); unit[me] = 1; checkExclusion() }
  :: d_step { at(O_UPDATE) && req[me] == CLASH -> settle(O_READY) }
  :: d_step { at(O_UPDATE) && mayFail -> fail(); giveUp(); settle(O_READY) }
  /* The window ends: nothing looks after what was lost. */
  :: d_step { (at(O_READY) || at(O_WATCH) || at(O_UPDATE)) && mayFail -> fail(); originalStarts() }

  :: d_step { unit[me] -> unit[me] = 0 }
  :: d_step { at(O_UPGRADING) && !unit[me] -> settle(O_RELEASING) }
  :: d_step { at(O_UPGRADING) && !unit[me] -> settle(O_DRAINING); cordoned[me] = 1; checkExclusion() }
  :: d_step { (at(O_UPGRADING) && !unit[me]) || at(O_DRAINING) ->
      settle(O_REBOOTING); marked[me] = 1; checkExclusion() }
  :: d_step { at(O_DRAINING) || at(O_REBOOTING) ->
      cordoned[me] = 0; marked[me] = 0; settle(O_RELEASING) }
  :: d_step { at(O_REBOOTING) -> rebooted[me] = 1; originalStarts() }

  :: d_step { at(O_RELEASING) && lock == me -> seen[me] = NOW; st[me] = O_RELEASE; send() }
  :: d_step { at(O_RELEASING) && lock != me -> originalStarts() }
  :: d_step { at(O_RELEASE) && req[me] == DONE -> settle(O_IDLE) }
  :: d_step { at(O_RELEASE) && req[me] == CLASH -> settle(O_RELEASING) }
  :: d_step { at(O_RELEASE) && mayFail -> fail(); originalStarts() }

#ifdef KILL_ORIGINAL
  :: d_step { mayFail && !at(O_START) -> fail(); originalStarts() }
#else
  :: d_step { mayFail && !at(O_START) && !unit[me] -> fail(); originalStarts() }
#endif
  :: d_step { mayFail && !at(O_START) -> fail(); unit[me] = 0; rebooted[me] = 1; originalStarts() }

  /* A mark that no reboot has followed ends the process again and again, until one does. */
  :: d_step { at(O_START) && marked[me] && !rebooted[me] -> rebooted[me] = 1 }
  :: d_step { at(O_START) && (!marked[me] || rebooted[me]) && lock == me ->
      marked[me] = 0; cordoned[me] = 0; rebooted[me] = 0;
      seen[me] = NOW; st[me] = O_START_RELEASE; send() }
  :: d_step { at(O_START) && (!marked[me] || rebooted[me]) && lock != me ->
      marked[me] = 0; cordoned[me] = 0; rebooted[me] = 0; settle(O_IDLE) }
  :: d_step { at(O_START_RELEASE) && req[me] == DONE -> settle(O_IDLE) }
  :: d_step { at(O_START_RELEASE) && req[me] == CLASH -> settle(O_START) }
  :: d_step { at(O_START_RELEASE) && mayFail -> fail(); originalStarts() }
  od
}
