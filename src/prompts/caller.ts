/** Who asks for something. The one type for it: faces make it, and everything below them reads it. */
import type { TraceContext } from '../agents/adapter/agent.ts'
import type { Ceilings } from './ceilings.ts'

/** An API key of a server. What belongs to it is stored under its id; the name is for people. */
export type ClientKey = { readonly id: string; readonly name: string }

/** Where a command of the user runs. */
export type CallerPlace = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** The demo agent may take the place of agents that are not installed. */
  readonly isDemo: boolean
}

/** What a caller says about the work that it is a part of. */
type CallerOrigin = {
  /** The highest modes of its agents. Undefined: it may use every mode. */
  readonly ceilings?: Ceilings | undefined
  /** How many agents are between the user and the caller. Undefined: as many as for this process. */
  readonly depth?: number | undefined
  /** The agents that get its prompts after a limit. Undefined: as the settings say. */
  readonly fallback?: readonly string[] | undefined
  /** The budgets of its key, such as `20usd/day`. */
  readonly budgets?: readonly string[] | undefined
  /** The label of the issue for which a watcher has started its run. */
  readonly label?: string | undefined
  /** Its agents continue this trace. */
  readonly trace?: TraceContext | undefined
}

export type Caller = CallerOrigin &
  (
    | {
        /** The user of this machine: on the command line, on the local socket, in a program, in an editor. */
        readonly is: 'user'
        /** Undefined: where this process runs. */
        readonly place?: CallerPlace | undefined
        /** It may work only in the directories that clients may use. */
        readonly isConfined?: boolean
      }
    | {
        readonly is: 'client'
        /** Undefined: the server needs no keys. */
        readonly key?: ClientKey | undefined
        /** `client` sees only what is its own; the others see everything, and `admin` manages the server. */
        readonly role: 'client' | 'operator' | 'admin'
        /** It may move branches of the user, and check them out. */
        readonly mayMerge?: true | undefined
        /** It is the user of this machine, who may change runs, and keep work of comparisons, in every repository. */
        readonly isUser?: true
      }
  )

export const USER: Caller = { is: 'user' }

/** No key has this id. */
const UNKNOWN = 'unknown'

/** The key that what the caller starts belongs to. */
export function ownerKey(by: Caller): ClientKey | undefined {
  return by.is === 'client' ? by.key : undefined
}

/** Whether something with this key is the caller's own. What commands of the user start has none. */
export function isOwn(by: Caller, keyId: string | undefined): boolean {
  return keyId === ownerKey(by)?.id || (keyId === undefined && by.is === 'client' && by.isUser === true)
}

/** The id of the key whose things are all that the caller sees. Undefined: it sees everything. */
export function visibleKeyId(by: Caller): string | undefined {
  return by.is === 'client' && by.role === 'client' ? (by.key?.id ?? UNKNOWN) : undefined
}

/** The user of the machine, and keys with the role `admin`: they manage keys, and see the settings. */
export function isAdmin(by: Caller): boolean {
  return by.is === 'user' || by.isUser === true || by.role === 'admin'
}
