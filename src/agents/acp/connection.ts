/** What a turn needs of the process that it runs in. */

import type { ChildEnvironment } from '../../kit/process/child-environment.ts'
import type { AcpProfile } from '../adapter/acp-profile.ts'
import type { AgentRequest, Usage } from '../adapter/agent.ts'
import type { JsonRecord } from '../adapter/json-fields.ts'
import type { JsonRpcPeer } from '../warm/json-rpc.ts'
import type { WarmProcess } from '../warm/warm-process.ts'
import type { ClientTerminals } from './client-terminals.ts'
import type { AgentInfo, SessionState } from './protocol.ts'

export type ConnectionOptions = {
  backend: string
  profile: AcpProfile
  /** The environment of commands that the agent lets drover run. */
  env: ChildEnvironment
  /** The process is for one turn alone: then its end is the end of the turn, and no other process takes the prompt. */
  isCold: boolean
  /** What the protocol does not offer, for an agent that has other ways. */
  store?: SessionStorage | undefined
  /** How long the agent may take to answer anything but the prompt. */
  answerWithinMs?: number | undefined
  /** Gets every update that the agent prints, unchanged. */
  onLine?: ((line: string) => Promise<void>) | undefined
}

/** The sessions of an agent as it stores them. */
type SessionStorage = {
  /** Deletes a session. False: it was not found. */
  remove(sessionId: string, request: AgentRequest): Promise<boolean>
  /** Starts to count the tokens of a turn. The function returns them when the turn has ended. */
  count(sessionId: string, request: AgentRequest): Promise<() => Promise<Usage | undefined>>
}

export type AcpConnection = {
  readonly options: ConnectionOptions
  readonly process: WarmProcess
  readonly peer: JsonRpcPeer
  readonly terminals: ClientTerminals
  /** Throws a Fault if the agent speaks another version of the protocol. */
  initialize(): Promise<AgentInfo>
  request(method: string, params: JsonRecord): Promise<JsonRecord>
  /** The error of a request, with the ways to log in that the agent offers. */
  withLogins(error: JsonRecord): Promise<JsonRecord>
  /** A new session, or the one that the request resumes. Throws a Fault if the agent does not open it. */
  openSession(request: AgentRequest): Promise<SessionState>
  /** Deletes a session that must not be stored. False: the agent cannot do that. */
  forgetSession(sessionId: string): Promise<boolean>
  /** What the session has cost so far in US dollars, if the agent has said so. */
  costOf(sessionId: string): number | undefined
  /** Waits for updates that come after the end of a turn, if the agent sends any. */
  waitForLateUpdates(): Promise<void>
}
