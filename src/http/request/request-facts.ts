import type { TraceContext } from '../../agents/adapter/agent.ts'
import type { ApiKey } from '../../config/api-keys.ts'
import type { LoginProof } from '../context/logins.ts'

/** What the guards and the endpoint know about a request. The access log, the metrics and the rate limit use it. */
type RequestFacts = {
  /** The client's address, behind trusted proxies; `local` on a Unix socket. */
  address: string
  trace: RequestTrace | undefined
  /** How many agents are between the user and the sender, if it says so. */
  depth: number | undefined
  /** The valid API key of the request, with its name and role. Undefined if the server has no keys. */
  key: ApiKey | undefined
  /** It came over the local socket, so its sender is the user of the server. */
  isLocalUser: boolean
  /** 0 means no limit. */
  bodyLimitBytes: number
  /** The login to the console, if the request comes from there. */
  login?: LoginProof
  /** It ends the login that it uses. Its response is sent all the same. */
  endsAccess?: boolean
  /** It asks for a file of the console. The log has such a request only if it fails: a browser sends many at once. */
  isForConsoleFile?: boolean
  /** Its path, if no endpoint has it: only the words that are safe to log. */
  unknownPath?: string
  /** The code of the error response. */
  errorCode?: string
  /** Set by endpoints that run prompts. Prompts and answers are only logged with `--log-prompts`. */
  backends?: readonly string[]
  prompts?: readonly string[]
  answers?: readonly string[]
}

/** `tracestate` is undefined if the header is missing or invalid. */
export type RequestTrace = TraceContext & { traceId: string }

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can be merged with Fastify's
  interface FastifyContextConfig {
    /** The endpoint gets the bytes of the body, because they are signed. */
    isRaw?: true
  }
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can be merged with Fastify's
  interface FastifyRequest {
    /** Set by the first hook. */
    facts: RequestFacts
  }
}
