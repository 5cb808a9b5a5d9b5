import type { Backend } from '../adapter/agent.ts'
import { runTurn } from '../run-turn.ts'
import { ActiveTurn, type TurnProtocol } from './active-turn.ts'
import { agentDisconnected } from './faults.ts'
import type { LongLivedAgent, Turn } from './long-lived-agent.ts'
import type { WarmProcess } from './warm-process.ts'

/** A long-lived agent of any protocol. `createTurn` is called once per turn. */
export function createLongLivedAgent(
  backend: Backend,
  process: WarmProcess,
  createTurn: (turn: Turn) => TurnProtocol,
): LongLivedAgent {
  let state: 'idle' | 'busy' | 'spent' = 'idle'
  let turns = 0
  let sessionId: string | undefined
  return {
    backend,
    exit: process.exit,
    async *prompt(turn) {
      if (state !== 'idle' || !process.isAlive()) throw agentDisconnected({ method: 'the start of a turn' })
      state = 'busy'
      turns += 1
      const onEnd = (end: { isClean: boolean; sessionId: string | undefined }) => {
        state = end.isClean ? 'idle' : 'spent'
        sessionId = end.sessionId
      }
      const active = new ActiveTurn(process, { turn, protocol: createTurn(turn), onEnd })
      return yield* runTurn(turn.request, active, turn.stop)
    },
    facts: () => ({ isAlive: process.isAlive(), isReusable: state === 'idle', pid: process.pid, sessionId, turns }),
    residentBytes: process.residentBytes,
    end: process.end,
  }
}
