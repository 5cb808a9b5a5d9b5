/** What the fake agent that speaks ACP does. */

/** Each property is done, in the order of this list. */
export type AcpStep = {
  /** Updates of this step name another session. */
  session?: string
  say?: string
  sayBytes?: number
  think?: string
  /** The `update` of a `session/update`. */
  update?: object
  /** A line as it is. */
  raw?: string
  /** Asks for permission and waits for the answer. */
  ask?: { toolCall: object; options: readonly object[] }
  /** Sends another request and waits for the answer. */
  request?: { method: string; params?: object }
  /** Takes back what it asks for in this step when this file exists. */
  takesBackAt?: string
  /** Sends requests at the same time, and waits for all answers. */
  together?: { id?: string | number | null; method: string; params?: object }[]
  /** Lets the client run a command. */
  terminal?: object
  /** Starts a process that outlives the turn. */
  spawn?: { command: string; pidFile: string }
  exit?: number
  /** Writes frames or lines of text without end. */
  flood?: boolean | 'text'
  /** Says what it is told by `_session/steering`. */
  listen?: boolean
  /** How long it prints nothing, in milliseconds. */
  pause?: number
  hang?: boolean
  /** Answers the prompt with this error. */
  fails?: { code: number; message: string; data?: unknown }
  /** Never answers the prompt. */
  noAnswer?: boolean
}

export type AcpScript = {
  stderr?: string
  /** What it prints on its output before the first frame. */
  prints?: string
  exitAtStart?: number
  ignoresSignals?: boolean
  ignoresCancel?: boolean
  /** Stays when its input is closed. */
  ignoresEof?: boolean
  /** More fields of the answer to `initialize`; null: no answer. */
  initialize?: object | null
  /** The answer to `session/new`. */
  session?: object
  sessionId?: string
  /** Methods that are never answered. */
  silent?: string[]
  /** How long it takes to answer methods, in milliseconds. */
  delays?: Record<string, number>
  /** The errors that methods are answered with. */
  errors?: Record<string, { code: number; message: string; data?: unknown }>
  /** The steps of every prompt. */
  steps?: AcpStep[]
  /** The steps of the first prompt, the second and so on. */
  turns?: AcpStep[][]
  /** Its token counts are those of the whole session. */
  countsSession?: boolean
  /** More fields of the answer to a prompt. */
  result?: object
  /** Every answer has this id. */
  answersWithId?: number
  /** What it says after the answer to a prompt. */
  late?: string[]
}
