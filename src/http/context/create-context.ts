import type { KeyRing } from '../../config/api-keys.ts'
import { systemClock } from '../../kit/clock.ts'
import type { Digest } from '../../kit/digest.ts'
import { randomIds } from '../../kit/ids.ts'
import { ServedDrover, type ServedParts } from '../../service/served.ts'
import { ServerExposure } from '../../service/server-address.ts'
import { ANYONE, Logins } from './logins.ts'
import { rightsWith, USER_ELSEWHERE } from './sender.ts'
import type { ServerContext } from './server-context.ts'
import { WrongKeys } from './wrong-keys.ts'

/** What the program passes to the server at start-up. */
export type ServerInputs = Omit<ServedParts, 'clock' | 'rights' | 'keys' | 'userElsewhere' | 'sightOf'> &
  Partial<Pick<ServedParts, 'clock'>> & {
    keys: KeyRing
    writeAccessLog: ServerContext['writeAccessLog']
    logsPrompts: boolean
    jsonThread?: string | undefined
    consoleDirectory?: string
    /** Where logins to the console are stored. Undefined: they end with the server. */
    loginsFile?: string
  }

/** What the owner of a login sees now. */
function sightOf(as: string, keys: KeyRing): ReturnType<NonNullable<ServedParts['sightOf']>> {
  if (as === ANYONE) return keys.isRequired ? undefined : { is: 'all' }
  if (as === 'user') return { is: 'all' }
  const key = keys.withDigest(as as Digest)
  return key && (key.role === 'client' ? { is: 'key', keyId: key.id } : { is: 'all' })
}

/** Proxies close connections that are silent for a minute, and some after half a minute. */
const HEARTBEAT_MS = 15_000

export function createContext({ keys, ...inputs }: ServerInputs): ServerContext {
  const { config, version, shutdown, drainDeadline, log, writeAccessLog, logsPrompts } = inputs
  const clock = inputs.clock ?? systemClock
  const exposure = new ServerExposure()
  const drover = new ServedDrover({
    ...inputs,
    clock,
    rights: rightsWith({ config, keys, exposure }),
    keys: keys.isRequired ? () => keys.list() : undefined,
    userElsewhere: USER_ELSEWHERE,
    sightOf: (as) => sightOf(as, keys),
  })
  return {
    config,
    version,
    startedAt: clock.now(),
    clock,
    ids: randomIds,
    keys,
    drover,
    exposure,
    shutdown,
    drainDeadline,
    heartbeatMs: HEARTBEAT_MS,
    log,
    writeAccessLog,
    logsPrompts,
    jsonThread: inputs.jsonThread,
    consoleDirectory: inputs.consoleDirectory ?? '',
    logins: new Logins({ clock, ids: randomIds, keys, log, file: inputs.loginsFile }),
    wrongKeys: new WrongKeys({ log }),
    observer: {},
  }
}
