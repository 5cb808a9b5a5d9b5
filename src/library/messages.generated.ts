/** Written by `npm run generate` from the shapes of the messages. */

/** One prompt for one agent. */
export type PromptRequest = {
  /** The text for the agent. */
  prompt: string
  /** Agents that get the prompt if the one before fails with a limit, an outage or a missing login before it begins its answer. They use their own model. Not for a session that is continued. */
  fallback?: readonly BackendName[] | undefined
  /** A model of the agent, or an alias from the config. */
  model?: string | undefined
  /** The working directory: an absolute path that exists and that the operator allows. */
  workdir?: string | undefined
  /** Directories in which the agent works too, as in the working directory: absolute paths that exist and that the operator allows. Only for agents that take some. */
  additional_directories?: readonly string[] | undefined
  /** What the agent may do without approval: edit files (`auto`), everything in a sandbox (`sandboxed`), everything (`none`), nothing (`always`), or what its own settings allow (`default`). */
  approval_mode?: 'default' | 'auto' | 'sandboxed' | 'none' | 'always' | undefined
  /** Where the agent may write: nowhere, in the working directory, or everywhere. */
  sandbox_mode?: 'default' | 'read-only' | 'workspace' | 'full' | undefined
  /** Whether the agent runs in a sandbox that the system enforces: `on` where the machine has one, `required` or not at all. The default is `sandbox.mode` of the config. */
  sandbox?: 'off' | 'on' | 'required' | undefined
  /** `none` switches the own tools of the agent off, so that it is a plain model. Agents that cannot do that are refused. */
  agent_tools?: 'all' | 'none' | undefined
  /** The names of the MCP servers that the agent gets, of `mcp_servers` in the config. Empty: none. By default it gets all that the caller may use. */
  mcp_servers?: readonly string[] | undefined
  /** Accepted but ignored: no agent has such a limit. */
  max_tokens?: number | undefined
  /** The maximum number of turns, if the agent supports such a limit. */
  max_turns?: number | undefined
  /** The role of the agent and how it should behave. */
  system_prompt?: string | undefined
  /** A JSON Schema that the answer must match, if the agent can be given one. The answer is then JSON. */
  output_schema?: Record<string, unknown> | undefined
  /** Whether the agent prints more details. */
  verbose?: boolean | undefined
  /** More arguments for the agent, from the list that is allowed for it. */
  extra?: readonly string[] | undefined
  /** Stop the agent after this many seconds. */
  timeout_secs?: number | undefined
  /** Which prompts of the API key come first while they wait. `low` also lets those of other keys pass. A prompt waits as if it had come ten minutes earlier (`high`) or later (`low`), so none waits for ever. */
  priority?: 'high' | 'normal' | 'low' | undefined
  /** Only a machine with this label in `work.labels` may run it. With PostgreSQL it waits for such a machine. */
  label?: string | undefined
  /** Images and PDF documents that come with the prompt, at most 20 with 20 MiB together. */
  attachments?: readonly Attachment[] | undefined
  /** Store no session, neither in drover nor with the agent. */
  ephemeral?: boolean | undefined
  /** Stored and returned with the session. */
  metadata?: Record<string, unknown> | undefined
  /** For a new session: every API key can see and resume it. Otherwise only the key of the request and operators can. */
  shared?: boolean | undefined
  /** Show the command instead of starting it. */
  dry_run?: boolean | undefined
  /** The name of the backend; the default is `default_backend` of the config. */
  backend?: string | undefined
  /** The session to continue: its id, or a unique beginning of it. */
  session?: string | undefined
  /** With `session`: start a new session with the settings of that one. On another `backend` it begins with the conversation, as far as it is kept. */
  fork?: boolean | undefined
}

/** The name of a backend: `claude`, `codex`, `gemini`, or an agent that the config defines. */
export type BackendName = string

/** An image or a document that a prompt comes with. */
export type Attachment = {
  /** The file in base64, at most 5 MiB. */
  data: string
  /** `image/png`, `image/jpeg`, `image/gif`, `image/webp` or `application/pdf`. The content decides; a request that says something else is refused. */
  media_type?: string | undefined
  /** The name of the file, for people. */
  name?: string | undefined
}

/** Several prompts at once. */
export type ParallelRequest = {
  /** The prompts. */
  tasks: readonly ParallelTask[]
  /** How many tasks run at the same time; the default is `parallel.max_workers` of the config. */
  max_parallel?: number | undefined
  /** Stop all other tasks when one fails. */
  fail_fast?: boolean | undefined
  /** Show the command instead of starting it. */
  dry_run?: boolean | undefined
}

/** One prompt of several. It has no session. */
export type ParallelTask = {
  /** The text for the agent. */
  prompt: string
  /** Agents that get the prompt if the one before fails with a limit, an outage or a missing login before it begins its answer. They use their own model. Not for a session that is continued. */
  fallback?: readonly BackendName[] | undefined
  /** A model of the agent, or an alias from the config. */
  model?: string | undefined
  /** The working directory: an absolute path that exists and that the operator allows. */
  workdir?: string | undefined
  /** Directories in which the agent works too, as in the working directory: absolute paths that exist and that the operator allows. Only for agents that take some. */
  additional_directories?: readonly string[] | undefined
  /** What the agent may do without approval: edit files (`auto`), everything in a sandbox (`sandboxed`), everything (`none`), nothing (`always`), or what its own settings allow (`default`). */
  approval_mode?: 'default' | 'auto' | 'sandboxed' | 'none' | 'always' | undefined
  /** Where the agent may write: nowhere, in the working directory, or everywhere. */
  sandbox_mode?: 'default' | 'read-only' | 'workspace' | 'full' | undefined
  /** Whether the agent runs in a sandbox that the system enforces: `on` where the machine has one, `required` or not at all. The default is `sandbox.mode` of the config. */
  sandbox?: 'off' | 'on' | 'required' | undefined
  /** `none` switches the own tools of the agent off, so that it is a plain model. Agents that cannot do that are refused. */
  agent_tools?: 'all' | 'none' | undefined
  /** The names of the MCP servers that the agent gets, of `mcp_servers` in the config. Empty: none. By default it gets all that the caller may use. */
  mcp_servers?: readonly string[] | undefined
  /** Accepted but ignored: no agent has such a limit. */
  max_tokens?: number | undefined
  /** The maximum number of turns, if the agent supports such a limit. */
  max_turns?: number | undefined
  /** The role of the agent and how it should behave. */
  system_prompt?: string | undefined
  /** A JSON Schema that the answer must match, if the agent can be given one. The answer is then JSON. */
  output_schema?: Record<string, unknown> | undefined
  /** Whether the agent prints more details. */
  verbose?: boolean | undefined
  /** More arguments for the agent, from the list that is allowed for it. */
  extra?: readonly string[] | undefined
  /** Stop the agent after this many seconds. */
  timeout_secs?: number | undefined
  /** Which prompts of the API key come first while they wait. `low` also lets those of other keys pass. A prompt waits as if it had come ten minutes earlier (`high`) or later (`low`), so none waits for ever. */
  priority?: 'high' | 'normal' | 'low' | undefined
  /** Only a machine with this label in `work.labels` may run it. With PostgreSQL it waits for such a machine. */
  label?: string | undefined
  /** Images and PDF documents that come with the prompt, at most 20 with 20 MiB together. */
  attachments?: readonly Attachment[] | undefined
  /** Show the command instead of starting it. */
  dry_run?: boolean | undefined
  /** The name of the backend; the default is `default_backend` of the config. */
  backend?: string | undefined
}

/** Prompts one after another, which may contain earlier answers. */
export type ChainRequest = {
  /** The steps, in order. */
  steps: readonly ChainStep[]
  /** Skip the steps after one that failed. */
  stop_on_failure?: boolean | undefined
  /** A step without a workdir uses that of the previous step. */
  pass_working_dir?: boolean | undefined
  /** Show the command instead of starting it. */
  dry_run?: boolean | undefined
}

/** One prompt of a chain. It has no session. */
export type ChainStep = {
  /** The name for later steps: `{{steps.name}}`. */
  name?: string | undefined
  /** The text for the agent; `{{previous}}` and `{{steps.name}}` are replaced by earlier answers. */
  prompt: string
  /** Agents that get the prompt if the one before fails with a limit, an outage or a missing login before it begins its answer. They use their own model. Not for a session that is continued. */
  fallback?: readonly BackendName[] | undefined
  /** A model of the agent, or an alias from the config. */
  model?: string | undefined
  /** The working directory: an absolute path that exists and that the operator allows. */
  workdir?: string | undefined
  /** Directories in which the agent works too, as in the working directory: absolute paths that exist and that the operator allows. Only for agents that take some. */
  additional_directories?: readonly string[] | undefined
  /** What the agent may do without approval: edit files (`auto`), everything in a sandbox (`sandboxed`), everything (`none`), nothing (`always`), or what its own settings allow (`default`). */
  approval_mode?: 'default' | 'auto' | 'sandboxed' | 'none' | 'always' | undefined
  /** Where the agent may write: nowhere, in the working directory, or everywhere. */
  sandbox_mode?: 'default' | 'read-only' | 'workspace' | 'full' | undefined
  /** Whether the agent runs in a sandbox that the system enforces: `on` where the machine has one, `required` or not at all. The default is `sandbox.mode` of the config. */
  sandbox?: 'off' | 'on' | 'required' | undefined
  /** `none` switches the own tools of the agent off, so that it is a plain model. Agents that cannot do that are refused. */
  agent_tools?: 'all' | 'none' | undefined
  /** The names of the MCP servers that the agent gets, of `mcp_servers` in the config. Empty: none. By default it gets all that the caller may use. */
  mcp_servers?: readonly string[] | undefined
  /** Accepted but ignored: no agent has such a limit. */
  max_tokens?: number | undefined
  /** The maximum number of turns, if the agent supports such a limit. */
  max_turns?: number | undefined
  /** The role of the agent and how it should behave. */
  system_prompt?: string | undefined
  /** A JSON Schema that the answer must match, if the agent can be given one. The answer is then JSON. */
  output_schema?: Record<string, unknown> | undefined
  /** Whether the agent prints more details. */
  verbose?: boolean | undefined
  /** More arguments for the agent, from the list that is allowed for it. */
  extra?: readonly string[] | undefined
  /** Stop the agent after this many seconds. */
  timeout_secs?: number | undefined
  /** Which prompts of the API key come first while they wait. `low` also lets those of other keys pass. A prompt waits as if it had come ten minutes earlier (`high`) or later (`low`), so none waits for ever. */
  priority?: 'high' | 'normal' | 'low' | undefined
  /** Only a machine with this label in `work.labels` may run it. With PostgreSQL it waits for such a machine. */
  label?: string | undefined
  /** The name of the backend; the default is `default_backend` of the config. */
  backend?: string | undefined
}

/** One prompt for several agents. */
export type CompareRequest = {
  /** The text for the agent. */
  prompt: string
  /** The agents; the same one may be listed twice. */
  backends: readonly BackendName[]
  /** What the agent may do without approval: edit files (`auto`), everything in a sandbox (`sandboxed`), everything (`none`), nothing (`always`), or what its own settings allow (`default`). */
  approval_mode?: 'default' | 'auto' | 'sandboxed' | 'none' | 'always' | undefined
  /** Where the agent may write: nowhere, in the working directory, or everywhere. */
  sandbox_mode?: 'default' | 'read-only' | 'workspace' | 'full' | undefined
  /** A model of the agent, or an alias from the config. */
  model?: string | undefined
  /** The working directory: an absolute path that exists and that the operator allows. */
  workdir?: string | undefined
  /** Directories in which the agent works too, as in the working directory: absolute paths that exist and that the operator allows. Only for agents that take some. */
  additional_directories?: readonly string[] | undefined
  /** A JSON Schema that the answer must match, if the agent can be given one. The answer is then JSON. */
  output_schema?: Record<string, unknown> | undefined
  /** Stop the agent after this many seconds. */
  timeout_secs?: number | undefined
  /** Store a session for each answer, so that it can be continued. Not with `worktrees`. */
  sessions?: boolean | undefined
  /** Run them one after another instead of all at the same time. */
  sequential?: boolean | undefined
  /** Let each agent edit files in a new git worktree of the repository in `workdir`. API keys may name only repositories of `drive.repositories`. */
  worktrees?: boolean | undefined
  /** With `worktrees`: commands to run in each worktree after the agents, by default those of `drive.checks`. Over HTTP, only those. */
  checks?: readonly string[] | undefined
  /** With `worktrees`: keep the work of this agent as a branch, and drop the others. */
  keep?: string | undefined
  /** Show the command instead of starting it. */
  dry_run?: boolean | undefined
}

/** What becomes of the worktrees of a comparison. */
export type KeepRequest = {
  /** A directory of the repository that was compared in: an absolute path. */
  workdir?: string | undefined
  /** The execution of the comparison, or the beginning of its id. The default is the last one in the repository. */
  comparison?: string | undefined
  /** The agent whose work is kept. Without it, all work is dropped. */
  name?: string | undefined
}

/** Which sessions are listed. */
export type SessionQuery = {
  /** Only sessions of this backend. */
  backend?: string | undefined
  /** Only sessions with this status. */
  status?: 'active' | 'completed' | 'error' | 'paused' | undefined
  /** Only sessions with this tag. */
  tag?: string | undefined
  /** Only sessions of this model. */
  model?: string | undefined
  /** Only sessions of exactly this directory. */
  workdir?: string | undefined
  /** A part of the title or of the first prompt, or the beginning of the id. */
  search?: string | undefined
  /** Last used at this moment or later: RFC 3339, UTC. */
  since?: string | undefined
  /** Last used before this moment: RFC 3339, UTC. */
  until?: string | undefined
  /** Only sessions that an agent can continue. */
  resumable?: boolean | undefined
  /** The size of a page; 100 by default. */
  limit?: number | undefined
  /** The number of sessions before the page. */
  offset?: number | undefined
}

/** What changes about a session. */
export type SessionChange = {
  /** A title for people; null removes it. */
  title?: string | null | undefined
  /** Replaces all tags. */
  tags?: readonly string[] | undefined
  /** Entries replace those of the same name. */
  metadata?: Record<string, unknown> | undefined
  /** Whether every API key of a server sees the session and may resume it. */
  shared?: boolean | undefined
}

/** What agents should do, and how. Exactly one of `goal`, `issue` and `run` is given. */
export type DriveRequest = {
  /** What the agents should do. */
  goal?: string | undefined
  /** The address of a GitHub issue, or `#12` for one of the repository, that says what they should do. */
  issue?: string | undefined
  /** Use the text of an issue that has no sections for drover as the goal. */
  issue_as_goal?: boolean | undefined
  /** The id of a run to continue. */
  run?: string | undefined
  /** With `run`: the answer to the question that it is waiting for. */
  answer?: string | undefined
  /** With `run`: what the delivered run has to do in addition, on the same branch. */
  also?: readonly string[] | undefined
  /** With `run`: continue on top of what another person pushed to its branch. */
  take_over?: boolean | undefined
  /** Open a draft pull request and watch it until it is merged or closed. */
  follow?: boolean | undefined
  /** A directory of the repository: an absolute path. The default is the directory of the program. */
  directory?: string | undefined
  /** Work in the worktree itself; by default in a new one, on a new branch. */
  in_place?: boolean | undefined
  /** The agent that does the work. */
  backend?: string | undefined
  /** Its model. */
  model?: string | undefined
  /** Whether another agent reviews the work; true by default. */
  review?: boolean | undefined
  /** The agent that reviews. */
  review_backend?: string | undefined
  /** Its model. */
  review_model?: string | undefined
  /** Commands that must pass. */
  checks?: readonly string[] | undefined
  /** What the agent may do without approval while it implements a change: edit files (`auto`), everything (`none`) or nothing (`always`). */
  approval_mode?: 'default' | 'auto' | 'sandboxed' | 'none' | 'always' | undefined
  /** How many actions may be taken; for a run, how many more. */
  actions?: number | undefined
  /** Further runs for what is still open. */
  rounds?: number | undefined
  /** The run pauses once this many tokens have been used. */
  max_tokens?: number | undefined
  /** The run pauses once it has cost this many US dollars. */
  max_cost_usd?: number | undefined
  /** The run pauses after this many seconds of work. */
  max_time_secs?: number | undefined
  /** If an agent reaches a limit of its provider: wait until it is reset, continue with the next agent of `fallback`, or pause. `ask` waits. */
  on_limit?: 'ask' | 'wait' | 'next' | 'pause' | undefined
  /** The run waits for a limit at most this many seconds. */
  max_wait_secs?: number | undefined
  /** The MCP servers of the config that the agents get. The default is all. */
  mcp_servers?: readonly string[] | undefined
  /** Agents that continue the work, in this order, if the one before has reached a limit. */
  fallback?: readonly string[] | undefined
  /** What becomes of the work: the default is in the config. */
  deliver?: 'none' | 'branch' | 'pr' | undefined
}

/** What becomes of the work of a run. */
export type ActRequest = {
  /** The id of the run, or a unique beginning of it. */
  run: string
  /** What is done. */
  do: 'merge' | 'pull_request' | 'take' | 'discard' | 'undo_discard'
  /** With `merge`: the branch; the default is the one that was checked out when the run was started. */
  into?: string | undefined
  /** With `merge`: merge although the run has a pull request. */
  here?: boolean | undefined
  /** A directory of the repository: an absolute path. The default is the directory of the program. */
  directory?: string | undefined
}

/** One line of a stream of the native API. */
export type PromptEvent = 
  | InitEvent
  | MessageEvent
  | ThinkingEvent
  | ToolUseEvent
  | ToolResultEvent
  | BoundaryEvent
  | ApprovalRequestEvent
  | ApprovalDecisionEvent
  | UserMessageEvent
  | ToolRequestEvent
  | ProgressEvent
  | TokenUsageEvent
  | ErrorEvent
  | DoneEvent

/** The first event: the agent has started. */
export type InitEvent = {
  type: 'init'
  /** The name of the backend. */
  backend: string
  /** drover's own id; empty when no session is stored. */
  session_id: string
  /** The time of the event, in UTC. */
  timestamp: string
  /** Counts from 1, without gaps. */
  sequence: number
  content: {
    /** The model that answers. */
    model?: string | undefined
    /** The agent's own id of the session. */
    backend_session_id?: string | undefined
    /** The working directory of the agent. */
    working_dir?: string | undefined
  }
}

/** The agent writes to the user. */
export type MessageEvent = {
  type: 'message'
  /** The name of the backend. */
  backend: string
  /** drover's own id; empty when no session is stored. */
  session_id: string
  /** The time of the event, in UTC. */
  timestamp: string
  /** Counts from 1, without gaps. */
  sequence: number
  content: {
    /** The text for the user. */
    text: string
    role: 'assistant'
    /** A piece of a text; the next event of this type continues it. */
    is_partial?: boolean | undefined
  }
}

/** The agent reasons. */
export type ThinkingEvent = {
  type: 'thinking'
  /** The name of the backend. */
  backend: string
  /** drover's own id; empty when no session is stored. */
  session_id: string
  /** The time of the event, in UTC. */
  timestamp: string
  /** Counts from 1, without gaps. */
  sequence: number
  content: {
    /** The reasoning of the agent. */
    text: string
    /** A piece of a text; the next event of this type continues it. */
    is_partial?: boolean | undefined
  }
}

/** The agent uses a tool. */
export type ToolUseEvent = {
  type: 'tool_use'
  /** The name of the backend. */
  backend: string
  /** drover's own id; empty when no session is stored. */
  session_id: string
  /** The time of the event, in UTC. */
  timestamp: string
  /** Counts from 1, without gaps. */
  sequence: number
  content: {
    /** The id of the tool call; its result has the same id. */
    tool_id?: string | undefined
    /** The agent's name for the tool. */
    tool_name: string
    /** The input of the tool, as the agent reports it. */
    input?: unknown | undefined
  }
}

/** A tool has ended. */
export type ToolResultEvent = {
  type: 'tool_result'
  /** The name of the backend. */
  backend: string
  /** drover's own id; empty when no session is stored. */
  session_id: string
  /** The time of the event, in UTC. */
  timestamp: string
  /** Counts from 1, without gaps. */
  sequence: number
  content: {
    /** The id of the tool call; its result has the same id. */
    tool_id?: string | undefined
    /** The agent's name for the tool. */
    tool_name: string
    /** The output of the tool. */
    output?: string | undefined
    /** Whether the tool failed. */
    is_error?: boolean | undefined
    /** Why the tool failed. */
    error_message?: string | undefined
  }
}

/** An agent in a sandbox reaches a host, is refused one, or cannot write a path, for the first time in this prompt, or exceeds a limit. */
export type BoundaryEvent = {
  type: 'boundary'
  /** The name of the backend. */
  backend: string
  /** drover's own id; empty when no session is stored. */
  session_id: string
  /** The time of the event, in UTC. */
  timestamp: string
  /** Counts from 1, without gaps. */
  sequence: number
  content: {
    /** Whether a connection was made or refused, a path could not be written, or a limit was exceeded. */
    is: 'reached' | 'refused' | 'unwritable' | 'exceeded'
    /** The host and its port. */
    host?: string | undefined
    /** The path, as a tool printed it. */
    path?: string | undefined
    /** What was exceeded. The agent is ended, or its commits are not taken. */
    limit?: string | undefined
    /** Why it was refused. */
    reason?: 'not listed' | 'port not listed' | 'private address' | undefined
  }
}

/** The agent asks whether it may do something, and waits for the decision. */
export type ApprovalRequestEvent = {
  type: 'approval_request'
  /** The name of the backend. */
  backend: string
  /** drover's own id; empty when no session is stored. */
  session_id: string
  /** The time of the event, in UTC. */
  timestamp: string
  /** Counts from 1, without gaps. */
  sequence: number
  /** Something that an agent wants to do, and asks about first. */
  content: {
    /** The id to answer with. */
    approval_id: string
    /** The id of the tool call; its result has the same id. */
    tool_id?: string | undefined
    /** The agent's name for the tool. */
    tool_name: string
    /** The command that would run. */
    command?: string | undefined
    /** The change that would be made to files. */
    diff?: string | undefined
    /** The input of the tool, as the agent reports it. */
    input?: unknown | undefined
    /** Why the agent asks. */
    reason?: string | undefined
    /** The possible decisions. */
    choices: readonly ('allow' | 'allow_session' | 'deny')[]
    /** The agent asks these. `allow` needs `answers`; `deny` leaves it without. */
    questions?: readonly AgentQuestion[] | undefined
  }
}

/** What an agent wants to know from its user. */
export type AgentQuestion = {
  /** What the agent asks. */
  text: string
  /** The answers that the agent proposes. None: any text is an answer. */
  options: readonly ({
    /** The answer, as it is sent. */
    label: string
    /** What it means. */
    description?: string | undefined
  })[]
  /** Several options may be chosen. */
  takes_several?: boolean | undefined
  /** Any text is an answer, not only the options. */
  takes_text?: boolean | undefined
  /** The text has to be one. */
  takes?: 'number' | 'integer' | undefined
  /** It may be left without an answer. */
  is_optional?: boolean | undefined
}

/** Someone has decided about what the agent asked for. */
export type ApprovalDecisionEvent = {
  type: 'approval_decision'
  /** The name of the backend. */
  backend: string
  /** drover's own id; empty when no session is stored. */
  session_id: string
  /** The time of the event, in UTC. */
  timestamp: string
  /** Counts from 1, without gaps. */
  sequence: number
  content: {
    /** The id of the request. */
    approval_id: string
    /** The id of the tool call; its result has the same id. */
    tool_id?: string | undefined
    /** The agent's name for the tool. */
    tool_name: string
    /** The command, or the first 1000 characters of it. */
    command?: string | undefined
    /** The digest of what was asked for: of the JSON of an object with `tool_name`, `command`, `diff` and `input` of the request, in this order, without those that it does not have. */
    input_sha256: string
    /** What was decided. */
    decision: 'allow' | 'allow_session' | 'deny'
    /** The reason that the agent was told. */
    message?: string | undefined
    /** What the agent was answered, if it asked questions. */
    answers?: readonly (readonly string[])[] | undefined
    /** Who decided. */
    by: Decider
  }
}

/** Who decided. */
export type Decider = {
  /** `key`: an API key. `login`: a login to the console. `none`: a server without keys. `socket`: the local socket. `terminal`: a question of a command. `editor`: over ACP. `program`: a program that uses the library. `drover`: no one decided in time, or the prompt ended. */
  via: 'key' | 'login' | 'none' | 'socket' | 'terminal' | 'editor' | 'program' | 'drover'
  /** The name of the API key, or of the user on the machine of the server. */
  name?: string | undefined
  /** The id of the API key. A later key may have the same name. */
  key_id?: string | undefined
}

/** Someone tells the agent something while it works. */
export type UserMessageEvent = {
  type: 'user_message'
  /** The name of the backend. */
  backend: string
  /** drover's own id; empty when no session is stored. */
  session_id: string
  /** The time of the event, in UTC. */
  timestamp: string
  /** Counts from 1, without gaps. */
  sequence: number
  content: {
    /** The id of the message. */
    message_id: string
    /** What the agent is told. */
    text: string
    /** When it was sent, in UTC. */
    sent_at: string
    /** Who sent it. */
    by: Decider
    /** `now`: the agent gets the message while it works. `next_turn`: it gets the message with the next prompt of its session. */
    delivered: 'now' | 'next_turn'
  }
}

/** The agent calls functions of its client, and waits for their results. Only on the compatible APIs. */
export type ToolRequestEvent = {
  type: 'tool_request'
  /** The name of the backend. */
  backend: string
  /** drover's own id; empty when no session is stored. */
  session_id: string
  /** The time of the event, in UTC. */
  timestamp: string
  /** Counts from 1, without gaps. */
  sequence: number
  content: {
    /** The calls, in the order in which the agent made them. */
    calls: readonly ClientCall[]
    /** What the turn has used so far, if the agent says so. */
    token_usage?: TokenUsage | undefined
  }
}

/** A call of a function that the client runs. */
export type ClientCall = {
  /** The id to answer with. */
  call_id: string
  /** The client's name for the function. */
  tool_name: string
  /** The arguments, as JSON. */
  arguments: string
}

/** Token counts of a turn as the agent reports them; 0 if it does not report a count. */
export type TokenUsage = {
  /** Tokens that the model read. Claude counts tokens of its cache apart from these. */
  input_tokens: number
  /** Tokens that the model wrote. Gemini counts thinking apart from these. */
  output_tokens: number
  /** Tokens of the prompt that came from a cache. */
  cached_tokens: number
  /** Tokens of thinking. */
  reasoning_tokens: number
  /** Tokens of the prompt that were written to a cache; absent if there are none. */
  cache_write_tokens?: number | undefined
}

/** The agent has reached another stage, or the server is still waiting for it. */
export type ProgressEvent = {
  type: 'progress'
  /** The name of the backend. */
  backend: string
  /** drover's own id; empty when no session is stored. */
  session_id: string
  /** The time of the event, in UTC. */
  timestamp: string
  /** Absent if the stage is `waiting`: the agent prints nothing but is still running. */
  sequence?: number | undefined
  content: {
    /** The stage that the agent has reached. */
    stage: string
    /** How much of the work is done. */
    percent?: number | undefined
    /** A description of the stage. */
    message?: string | undefined
  }
}

/** The tokens used so far. */
export type TokenUsageEvent = {
  type: 'token_usage'
  /** The name of the backend. */
  backend: string
  /** drover's own id; empty when no session is stored. */
  session_id: string
  /** The time of the event, in UTC. */
  timestamp: string
  /** Counts from 1, without gaps. */
  sequence: number
  /** Token counts of a turn as the agent reports them; 0 if it does not report a count. */
  content: TokenUsage
}

/** The prompt has failed; `done` follows. */
export type ErrorEvent = {
  type: 'error'
  /** The name of the backend. */
  backend: string
  /** drover's own id; empty when no session is stored. */
  session_id: string
  /** The time of the event, in UTC. */
  timestamp: string
  /** Counts from 1, without gaps. */
  sequence: number
  content: {
    /** The code of the failure. */
    code?: string | undefined
    /** What went wrong. */
    message: string
    /** `upstream_status` and `retry_after_secs` of the model service, where the agent reports them. */
    details?: unknown | undefined
  }
}

/** The last event: the agent has ended and the session is stored. */
export type DoneEvent = {
  type: 'done'
  /** The name of the backend. */
  backend: string
  /** drover's own id; empty when no session is stored. */
  session_id: string
  /** The time of the event, in UTC. */
  timestamp: string
  /** Counts from 1, without gaps. */
  sequence: number
  content: {
    /** The same as in the result of the prompt. */
    exit_code: number
    /** How long the agent ran. */
    duration_ms: number
    /** Token counts of a turn as the agent reports them; 0 if it does not report a count. */
    token_usage: TokenUsage
    /** The context of the model at the end of the turn, if the agent says so. */
    context?: {
      /** Tokens in the context. */
      used_tokens: number
      /** Tokens that it has room for. */
      window_tokens: number
    } | undefined
    /** How many turns the agent took. */
    turn_count?: number | undefined
    /** Parts of the request that could not be fulfilled. */
    warnings?: readonly string[] | undefined
  }
}

/** Something that an agent wants to do, and asks about first. */
export type ApprovalRequest = {
  /** The id to answer with. */
  approval_id: string
  /** The id of the tool call; its result has the same id. */
  tool_id?: string | undefined
  /** The agent's name for the tool. */
  tool_name: string
  /** The command that would run. */
  command?: string | undefined
  /** The change that would be made to files. */
  diff?: string | undefined
  /** The input of the tool, as the agent reports it. */
  input?: unknown | undefined
  /** Why the agent asks. */
  reason?: string | undefined
  /** The possible decisions. */
  choices: readonly ('allow' | 'allow_session' | 'deny')[]
  /** The agent asks these. `allow` needs `answers`; `deny` leaves it without. */
  questions?: readonly AgentQuestion[] | undefined
}

/** The result of a prompt. */
export type PromptResult = {
  /** drover's own id; empty when no session was stored. */
  session_id: string
  /** The execution; the same as in the header X-Execution-Id. */
  execution_id?: string | undefined
  /** As in the request. In a parallel call it may be a backend that does not exist. */
  backend: string
  /** The model that the agent reports. */
  model?: string | undefined
  /** 0 success, 124 timeout, 130 interrupted, -1 canceled before the start; otherwise the exit code of the agent. */
  exit_code: number
  /** How long the agent ran, with the time in which it waited for results of functions of the client. */
  duration_ms: number
  /** The answer; for a dry run the command that would be started. */
  output: string
  /** Token counts of a turn as the agent reports them; 0 if it does not report a count. */
  token_usage: TokenUsage
  /** What the turn cost in US dollars, if that is known. */
  cost_usd?: number | undefined
  /** `reported`: the cost is what the agent said. `priced`: it is the tokens at list prices. `plan`: a subscription pays, so there is none. Absent: the cost is not known. */
  cost_kind?: 'reported' | 'priced' | 'plan' | undefined
  /** The agent's own id of the session. */
  backend_session_id?: string | undefined
  /** Only on failure: the message. */
  error?: string | undefined
  /** Only on failure: the code. */
  error_code?: string | undefined
  /** Only on failure: whether the same prompt may succeed if it is sent again unchanged. */
  retryable?: boolean | undefined
  /** Only on failure: the HTTP status of the model service, if the agent reports it. */
  upstream_status?: number | undefined
  /** Only on failure: how long to wait before the next attempt, if the agent reports it or the server stops. */
  retry_after_secs?: number | undefined
  /** The budget that has nothing left for a prompt or a run. Absent: it failed, or waits, for another reason. */
  budget?: RefusingBudget | undefined
  /** Only after a fallback: the agents that got the prompt first, and why they gave no answer. */
  fallback_from?: readonly {
    /** The agent. */
    backend: string
    /** The code of its failure. */
    error_code: string
    /** Its failure. */
    error: string
  }[] | undefined
  /** Who decided about what the agent asked for, oldest first. */
  approvals?: readonly ApprovalRecord[] | undefined
  /** What an agent, or the setup and the checks of a worktree, reached in a sandbox, and what they were refused. Absent: there was no sandbox. */
  boundary?: BoundaryReport | undefined
  /** Parts of the request that could not be fulfilled. */
  warnings?: readonly string[] | undefined
}

/** The budget that has nothing left for a prompt or a run. Absent: it failed, or waits, for another reason. */
export type RefusingBudget = {
  /** What it is for, such as `the key ci`. */
  name: string
  /** What is counted: US dollars, tokens, requests, or minutes of agents. */
  unit: 'usd' | 'tokens' | 'requests' | 'minutes'
  /** Periods begin at 00:00 UTC, weeks on Monday. */
  period: 'day' | 'week' | 'month' | 'once'
  /** How much may be used in a period. */
  limit: number
  /** How much was used in this one. */
  used: number
  /** How much is reserved by prompts that run now. */
  reserved: number
  /** When the next period begins; absent if there is none. */
  resets_at?: string | undefined
}

/** Who decided what about something that an agent asked for. */
export type ApprovalRecord = {
  /** When it was decided, in UTC. */
  at: string
  /** The id of the request. */
  approval_id: string
  /** The id of the tool call; its result has the same id. */
  tool_id?: string | undefined
  /** The agent's name for the tool. */
  tool_name: string
  /** The command, or the first 1000 characters of it. */
  command?: string | undefined
  /** The digest of what was asked for: of the JSON of an object with `tool_name`, `command`, `diff` and `input` of the request, in this order, without those that it does not have. */
  input_sha256: string
  /** What was decided. */
  decision: 'allow' | 'allow_session' | 'deny'
  /** The reason that the agent was told. */
  message?: string | undefined
  /** What the agent was answered, if it asked questions. */
  answers?: readonly (readonly string[])[] | undefined
  /** Who decided. */
  by: Decider
}

/** What an agent, or the setup and the checks of a worktree, reached in a sandbox, and what they were refused. Absent: there was no sandbox. */
export type BoundaryReport = {
  /** The program that enforces it. */
  enforced_by: 'bubblewrap'
  /** The hosts that were reached. */
  reached: readonly {
    /** The host and its port. */
    host: string
    /** How many connections were made. */
    count: number
  }[]
  /** The hosts that were refused. */
  refused: readonly ({
    /** The host and its port. */
    host: string
    /** Why. */
    reason: 'not listed' | 'port not listed' | 'private address'
    /** How many connections were refused. */
    count: number
  })[]
  /** Paths that could not be written, as commands printed it. */
  unwritable: readonly string[]
  /** Limits that were exceeded, and commits that were not taken for that reason. */
  exceeded: readonly string[]
}

/** The results of several prompts. */
export type ParallelResult = {
  /** The execution; the same as in the header X-Execution-Id. */
  execution_id?: string | undefined
  /** The number of items in the request. */
  total_tasks: number
  /** How many succeeded. */
  completed: number
  /** How many failed. */
  failed: number
  /** How many were canceled, before or while they ran. */
  canceled: number
  /** From the start of the first prompt to the end of the last, including waiting time. */
  total_duration_ms: number
  /** In the order of the tasks. */
  results: readonly PromptResult[]
}

/** The results of a chain. */
export type ChainResult = {
  /** The execution; the same as in the header X-Execution-Id. */
  execution_id?: string | undefined
  /** The number of items in the request. */
  total_steps: number
  /** How many succeeded. */
  completed_steps: number
  /** The first that failed, counted from 1. */
  failed_step?: number | undefined
  /** From the start of the first prompt to the end of the last, including waiting time. */
  total_duration_ms: number
  /** The results of the steps that were started. */
  results: readonly StepResult[]
}

/** The result of a step of a chain. */
export type StepResult = {
  /** Counted from 1. */
  step: number
  /** As in the request. */
  name?: string | undefined
  /** drover's own id; empty when no session was stored. */
  session_id: string
  /** The execution; the same as in the header X-Execution-Id. */
  execution_id?: string | undefined
  /** As in the request. In a parallel call it may be a backend that does not exist. */
  backend: string
  /** The model that the agent reports. */
  model?: string | undefined
  /** 0 success, 124 timeout, 130 interrupted, -1 canceled before the start; otherwise the exit code of the agent. */
  exit_code: number
  /** How long the agent ran, with the time in which it waited for results of functions of the client. */
  duration_ms: number
  /** The answer; for a dry run the command that would be started. */
  output: string
  /** Token counts of a turn as the agent reports them; 0 if it does not report a count. */
  token_usage: TokenUsage
  /** What the turn cost in US dollars, if that is known. */
  cost_usd?: number | undefined
  /** `reported`: the cost is what the agent said. `priced`: it is the tokens at list prices. `plan`: a subscription pays, so there is none. Absent: the cost is not known. */
  cost_kind?: 'reported' | 'priced' | 'plan' | undefined
  /** The agent's own id of the session. */
  backend_session_id?: string | undefined
  /** Only on failure: the message. */
  error?: string | undefined
  /** Only on failure: the code. */
  error_code?: string | undefined
  /** Only on failure: whether the same prompt may succeed if it is sent again unchanged. */
  retryable?: boolean | undefined
  /** Only on failure: the HTTP status of the model service, if the agent reports it. */
  upstream_status?: number | undefined
  /** Only on failure: how long to wait before the next attempt, if the agent reports it or the server stops. */
  retry_after_secs?: number | undefined
  /** The budget that has nothing left for a prompt or a run. Absent: it failed, or waits, for another reason. */
  budget?: RefusingBudget | undefined
  /** Only after a fallback: the agents that got the prompt first, and why they gave no answer. */
  fallback_from?: readonly {
    /** The agent. */
    backend: string
    /** The code of its failure. */
    error_code: string
    /** Its failure. */
    error: string
  }[] | undefined
  /** Who decided about what the agent asked for, oldest first. */
  approvals?: readonly ApprovalRecord[] | undefined
  /** What an agent, or the setup and the checks of a worktree, reached in a sandbox, and what they were refused. Absent: there was no sandbox. */
  boundary?: BoundaryReport | undefined
  /** Parts of the request that could not be fulfilled. */
  warnings?: readonly string[] | undefined
}

/** The answers of several agents to one prompt. */
export type ComparisonResult = {
  /** The execution; the same as in the header X-Execution-Id. */
  execution_id?: string | undefined
  /** The prompt for all agents. */
  prompt: string
  /** As in the request. */
  backends: readonly string[]
  /** In the order of the backends. */
  results: readonly ComparedResult[]
  /** From the start of the first prompt to the end of the last, including waiting time. */
  total_duration_ms: number
  /** With worktrees: true if it was canceled. Then all work was dropped. */
  canceled?: boolean | undefined
  /** The work that was kept. */
  kept?: {
    /** The agent. */
    name: string
    /** The branch with its work. */
    branch: string
    /** The last commit of the branch. */
    commit: string
  } | undefined
  /** The work that was dropped. */
  dropped?: readonly ({
    /** The agent. */
    name: string
    /** Its work, if it changed something. Git keeps the commit for some weeks. */
    commit?: string | undefined
  })[] | undefined
  /** Worktrees that could not be removed. */
  left?: readonly {
    /** The agent. */
    name: string
    /** Its worktree. */
    path: string
    /** Why it could not be removed. */
    reason: string
  }[] | undefined
  /** What the agents did not see, and what failed in their worktrees. */
  warnings?: readonly string[] | undefined
}

/** The result of one agent of a comparison. */
export type ComparedResult = {
  /** drover's own id; empty when no session was stored. */
  session_id: string
  /** The execution; the same as in the header X-Execution-Id. */
  execution_id?: string | undefined
  /** As in the request. In a parallel call it may be a backend that does not exist. */
  backend: string
  /** The model that the agent reports. */
  model?: string | undefined
  /** 0 success, 124 timeout, 130 interrupted, -1 canceled before the start; otherwise the exit code of the agent. */
  exit_code: number
  /** How long the agent ran, with the time in which it waited for results of functions of the client. */
  duration_ms: number
  /** The answer; for a dry run the command that would be started. */
  output: string
  /** Token counts of a turn as the agent reports them; 0 if it does not report a count. */
  token_usage: TokenUsage
  /** What the turn cost in US dollars, if that is known. */
  cost_usd?: number | undefined
  /** `reported`: the cost is what the agent said. `priced`: it is the tokens at list prices. `plan`: a subscription pays, so there is none. Absent: the cost is not known. */
  cost_kind?: 'reported' | 'priced' | 'plan' | undefined
  /** The agent's own id of the session. */
  backend_session_id?: string | undefined
  /** Only on failure: the message. */
  error?: string | undefined
  /** Only on failure: the code. */
  error_code?: string | undefined
  /** Only on failure: whether the same prompt may succeed if it is sent again unchanged. */
  retryable?: boolean | undefined
  /** Only on failure: the HTTP status of the model service, if the agent reports it. */
  upstream_status?: number | undefined
  /** Only on failure: how long to wait before the next attempt, if the agent reports it or the server stops. */
  retry_after_secs?: number | undefined
  /** The budget that has nothing left for a prompt or a run. Absent: it failed, or waits, for another reason. */
  budget?: RefusingBudget | undefined
  /** Only after a fallback: the agents that got the prompt first, and why they gave no answer. */
  fallback_from?: readonly {
    /** The agent. */
    backend: string
    /** The code of its failure. */
    error_code: string
    /** Its failure. */
    error: string
  }[] | undefined
  /** Who decided about what the agent asked for, oldest first. */
  approvals?: readonly ApprovalRecord[] | undefined
  /** What an agent, or the setup and the checks of a worktree, reached in a sandbox, and what they were refused. Absent: there was no sandbox. */
  boundary?: BoundaryReport | undefined
  /** Parts of the request that could not be fulfilled. */
  warnings?: readonly string[] | undefined
  /** The version of the agent, if it tells. The demo agent has none. */
  agent_version?: string | undefined
  /** What an agent changed in its worktree, and what the checks say about it. */
  worktree?: ComparedWorktree | undefined
}

/** What an agent changed in its worktree, and what the checks say about it. */
export type ComparedWorktree = {
  /** The agent, with a number if it takes part twice. */
  name: string
  /** The worktree. Without changes it is removed. */
  path?: string | undefined
  /** Its branch. */
  branch?: string | undefined
  /** The repository. */
  repository: string
  /** The commit that it began with. */
  base: string
  /** The number of changed files. */
  files: number
  /** Added lines. */
  insertions: number
  /** Removed lines. */
  deletions: number
  /** The changed files. */
  changes: readonly ({
    /** The path. */
    path: string
    /** The path that it was renamed from. */
    from?: string | undefined
    insertions: number | null
    deletions: number | null
  })[]
  /** The results of the checks, in their order. */
  checks: readonly ({
    /** As in the request. */
    command: string
    /** Whether it exited with 0. */
    passed: boolean
    /** Null if it did not exit by itself. */
    exit_code: number | null
    /** Why there is no exit code. */
    problem?: string | undefined
    /** Of a canceled comparison: the check was ended, or never began. Absent if it ran to its end. */
    unfinished?: 'canceled' | 'not_run' | undefined
    /** How long it ran. */
    duration_ms: number
    /** The last 256 KiB of what it printed. */
    output: string
    /** Whether it printed more. */
    output_truncated: boolean
  })[]
  /** What an agent, or the setup and the checks of a worktree, reached in a sandbox, and what they were refused. Absent: there was no sandbox. */
  boundary?: BoundaryReport | undefined
}

/** What became of the worktrees of a comparison. */
export type KeepResult = {
  /** The execution of the comparison. */
  comparison?: string | undefined
  /** The beginning of its prompt. */
  prompt_start?: string | undefined
  /** The repository. */
  repository?: string | undefined
  /** The work that was kept. */
  kept?: {
    /** The agent. */
    name: string
    /** The branch with its work. */
    branch: string
    /** The last commit of the branch. */
    commit: string
  } | undefined
  /** The work that was dropped. */
  dropped: readonly ({
    /** The agent. */
    name: string
    /** Its work, if it changed something. Git keeps the commit for some weeks. */
    commit?: string | undefined
  })[]
  /** Worktrees that could not be removed. */
  left: readonly {
    /** The agent. */
    name: string
    /** Its worktree. */
    path: string
    /** Why it could not be removed. */
    reason: string
  }[]
}

/** The record of one conversation with an agent. */
export type Session = {
  /** 32 lowercase hexadecimal digits. */
  id: string
  /** The name of the backend. */
  backend: string
  /** `active` while a turn runs, then `completed` or `error`. `paused`: interrupted, and it can be resumed. */
  status: 'active' | 'completed' | 'error' | 'paused'
  /** When the session was created, in UTC. */
  created_at: string
  /** When its last turn began or ended, in UTC. */
  last_used: string
  /** The working directory: absolute, links resolved. */
  working_dir: string
  /** The agent's own id of the session; without it the session cannot be resumed. */
  backend_session_id?: string | undefined
  /** The model that the agent reported, otherwise the requested one. */
  model?: string | undefined
  /** The system prompt. */
  system_prompt?: string | undefined
  /** The prompt of the first turn. */
  initial_prompt: string
  /** Number of finished turns. */
  turn_count: number
  /** Total of all turns. */
  token_usage: TokenUsage
  /** Tags, for filtering. */
  tags: readonly string[]
  /** A title for people. */
  title?: string | undefined
  /** The built-in demo agent answers. A real agent cannot continue it. */
  is_demo?: true | undefined
  /** The session that this one was forked from. */
  parent_id?: string | undefined
  /** The name of the API key that it belongs to. */
  api_key?: string | undefined
  /** Every API key sees it and may resume it. */
  shared?: true | undefined
  /** Why the last turn failed. */
  error_message?: string | undefined
  /** Metadata of the client. */
  metadata: Record<string, unknown>
  /** The permissions of the agent. */
  policy: SessionPolicy
}

/** The permissions of the agent; a resumed session gets the same. */
export type SessionPolicy = {
  /** What the agent may do without approval: edit files (`auto`), everything in a sandbox (`sandboxed`), everything (`none`), nothing (`always`), or what its own settings allow (`default`). */
  approval_mode: 'default' | 'auto' | 'sandboxed' | 'none' | 'always'
  /** What the agent may access. */
  sandbox_mode: 'default' | 'read-only' | 'workspace' | 'full'
  /** The agent runs in a sandbox that the system enforces. */
  sandbox?: 'required' | undefined
  /** The requested model; without it the agent chooses. */
  model?: string | undefined
  /** Tools that the agent may use without approval. */
  allowed_tools?: string | undefined
  /** Directories in which the agent works too. */
  additional_directories?: readonly string[] | undefined
  /** Further arguments for the agent. */
  extra: readonly string[]
}

/** A page of sessions. */
export type SessionPage = {
  /** Last used first. */
  sessions: readonly SessionSummary[]
  /** Number of all matching sessions, not only of this page. */
  total: number
  /** The applied limit. */
  limit: number
  /** The number of sessions before this page. */
  offset: number
}

/** A session in a page, with the beginnings of its prompts. */
export type SessionSummary = {
  /** 32 lowercase hexadecimal digits. */
  id: string
  /** The name of the backend. */
  backend: string
  /** `active` while a turn runs, then `completed` or `error`. `paused`: interrupted, and it can be resumed. */
  status: 'active' | 'completed' | 'error' | 'paused'
  /** When the session was created, in UTC. */
  created_at: string
  /** When its last turn began or ended, in UTC. */
  last_used: string
  /** The working directory: absolute, links resolved. */
  working_dir: string
  /** The agent's own id of the session; without it the session cannot be resumed. */
  backend_session_id?: string | undefined
  /** The model that the agent reported, otherwise the requested one. */
  model?: string | undefined
  /** The first 200 characters of the system prompt. */
  system_prompt?: string | undefined
  /** The first 200 characters of the prompt of the first turn. */
  initial_prompt: string
  /** Number of finished turns. */
  turn_count: number
  /** Total of all turns. */
  token_usage: TokenUsage
  /** Tags, for filtering. */
  tags: readonly string[]
  /** A title for people. */
  title?: string | undefined
  /** The built-in demo agent answers. A real agent cannot continue it. */
  is_demo?: true | undefined
  /** The session that this one was forked from. */
  parent_id?: string | undefined
  /** The name of the API key that it belongs to. */
  api_key?: string | undefined
  /** Every API key sees it and may resume it. */
  shared?: true | undefined
  /** Why the last turn failed. */
  error_message?: string | undefined
  /** Metadata of the client. */
  metadata: Record<string, unknown>
  /** The permissions of the agent. */
  policy: SessionPolicy
}

/** A turn of a session, as it is kept in an execution. */
export type SessionTurn = {
  /** The execution of the turn. */
  execution_id: string
  /** The state of the execution. */
  state: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled' | 'lost'
  /** When the turn was requested, in UTC. */
  created_at: string
  /** How long the agent ran. */
  duration_ms?: number | undefined
  /** The model. */
  model?: string | undefined
  /** The built-in demo agent answered. */
  is_demo?: true | undefined
  /** The prompt. */
  prompt: string
  /** The images and documents that came with the prompt. */
  attachments?: readonly AttachmentRecord[] | undefined
  /** The answer; absent while the turn is running, and if it has no result. */
  answer?: string | undefined
  /** The tools that the agent used, in order; empty if only results are kept. */
  tools: readonly {
    /** The tool. */
    name: string
    /** The most telling part of its input, at most 200 characters. */
    input: string
  }[]
  /** Who decided about what the agent asked for, oldest first. */
  approvals?: readonly ApprovalRecord[] | undefined
  /** The tokens of the turn. */
  usage?: TokenUsage | undefined
  /** The cost in US dollars, if it is known. */
  cost_usd?: number | undefined
  /** `reported`: the cost is what the agent said. `priced`: it is the tokens at list prices. `plan`: a subscription pays, so there is none. Absent: the cost is not known. */
  cost_kind?: 'reported' | 'priced' | 'plan' | undefined
  /** Why the turn failed. */
  error?: string | undefined
}

/** An image or a document that came with a prompt. */
export type AttachmentRecord = {
  /** `sha256:` and the digest of the content. */
  digest: string
  /** What it is by its content, such as `image/png`. */
  media_type: string
  /** Its bytes. */
  size: number
  /** The name of the file. */
  name?: string | undefined
}

/** What became of a run that agents drive. */
export type RunVerdict = {
  /** What became of the run. */
  word: 'delivered' | 'delivered, look first' | 'nothing to change' | 'not delivered' | 'waits for you' | 'paused by limit' | 'merged' | 'discarded' | 'continued' | 'queued' | 'running' | 'waiting for limit' | 'not driven'
  /** The word with its reason, as people read it. */
  line: string
  /** What `drover drive` exits with: 0, 3, 4 or 5. Absent while it is queued, running, waiting for a limit, continued, discarded or not driven. */
  exit_code?: number | undefined
  /** Why, in one line for people, of at most 400 characters. The whole text of a question is apart from it: `waits_for.question` of a run over HTTP and in the library, `question` of a drive in the library. That of a pause is `pause.message`. */
  reason: string
  /** The one command that comes next. */
  next: string
  /** What a person should look at before using the work, serious flags first. It stays after a merge. */
  look_first: readonly string[]
  /** What there is of the work. */
  exists: {
    /** The branch, if it has the work. */
    branch?: string | undefined
    /** The commit on it. */
    commit?: string | undefined
    /** The address of the pull request. */
    pull_request?: string | undefined
    /** The worktree, if it is still there. */
    worktree?: string | undefined
    /** The run that continues this one. */
    follow_up?: string | undefined
  }
}

/** What was used of each budget. */
export type BudgetList = {
  /** Those that the caller may see, sorted by what they are for. */
  budgets: readonly ({
    /** What it is for, such as `the key ci`. */
    name: string
    /** The name of the API key that it is for. */
    key?: string | undefined
    /** The directory that it is for. */
    repository?: string | undefined
    /** The label that it is for: of issues for which a watcher starts runs. */
    label?: string | undefined
    /** What is counted: US dollars, tokens, requests, or minutes of agents. */
    unit: 'usd' | 'tokens' | 'requests' | 'minutes'
    /** Periods begin at 00:00 UTC, weeks on Monday. */
    period: 'day' | 'week' | 'month' | 'once'
    /** How much may be used in a period. */
    limit: number
    /** How much was used in this one. */
    used: number
    /** The part of `used` that is not known: what was reserved by prompts whose process died or whose cost is unknown. */
    estimated: number
    /** How much is reserved by prompts that run now. */
    reserved: number
    /** When the next period begins; absent if there is none. */
    resets_at?: string | undefined
  })[]
}

/** When an agent gets a message. */
export type MessageSent = {
  /** The complete id of the execution. */
  execution_id: string
  /** The id of the message: its `user_message` events have the same. */
  message_id: string
  /** `now`: the agent gets the message while it works. `next_turn`: it gets the message with the next prompt of its session. */
  delivered: 'now' | 'next_turn'
}

/** Which executions are listed. */
export type ExecutionQuery = {
  /** Only executions in this state. */
  state?: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled' | 'lost' | undefined
  /** Only executions of this agent. */
  backend?: string | undefined
  /** Only executions in exactly this directory. */
  workdir?: string | undefined
  /** Only executions of the API key with this name. */
  key?: string | undefined
  /** Part of the beginning of the prompt. */
  search?: string | undefined
  /** Only prompts of this session; its complete id. */
  session?: string | undefined
  /** Only the parts of this batch; its complete id. */
  parent?: string | undefined
  /** Only executions of this kind, such as `compare`. */
  kind?: 'prompt' | 'dry_run' | 'parallel' | 'parallel_task' | 'chain' | 'chain_step' | 'compare' | 'compare_backend' | 'action' | undefined
  /** Created at this time or later: RFC 3339, UTC. */
  since?: string | undefined
  /** Only executions that are older than this one: the `next` of the page before. */
  before?: string | undefined
  /** The size of a page; 100 by default. */
  limit?: number | undefined
}

/** A prompt or a batch that was started, with its state and, in the end, its result. */
export type Execution = {
  /** `exec_` and 24 random characters. */
  id: string
  /** `queued`, `running`, then `completed`, `failed` or `cancelled`. `lost`: its process died, so the end is unknown. */
  state: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled' | 'lost'
  /** What it runs: a prompt, a batch, or a part of a batch. `dry_run`: nothing; it shows the command for a prompt. */
  kind: 'prompt' | 'dry_run' | 'parallel' | 'parallel_task' | 'chain' | 'chain_step' | 'compare' | 'compare_backend' | 'action'
  /** The execution of the batch that it belongs to. */
  parent_id?: string | undefined
  /** The session of the prompt, if one is stored. */
  session_id?: string | undefined
  /** The agent; absent for a batch. */
  backend?: string | undefined
  /** The model that the agent reported, otherwise the requested one. */
  model?: string | undefined
  /** The working directory. */
  workdir?: string | undefined
  /** It needs a worker with this label. While it is queued, it may wait for a machine that has it. */
  label?: string | undefined
  /** The process that runs it. */
  owner: string
  /** The name of the API key that started it. */
  api_key?: string | undefined
  /** The id of that key. A later key may have the same name. */
  key_id?: string | undefined
  /** The built-in demo agent answered. */
  is_demo?: true | undefined
  /** When it was requested, in UTC. */
  created_at: string
  /** When its agent was started. */
  started_at?: string | undefined
  /** When it ended. */
  ended_at?: string | undefined
  /** The tokens that it used. */
  usage?: TokenUsage | undefined
  /** The cost in US dollars, if it is known. */
  cost_usd?: number | undefined
  /** `reported`: the cost is what the agent said. `priced`: it is the tokens at list prices. `plan`: a subscription pays, so there is none. Absent: the cost is not known. */
  cost_kind?: 'reported' | 'priced' | 'plan' | undefined
  /** Why it has no result: it could not be started. */
  error?: {
    /** The code of the error. */
    code: string
    /** What is wrong and what to do. */
    message: string
    /** The kind of the error, which determines the status of a response. */
    kind?: string | undefined
    /** Of a budget: what it allows, and when it resets. */
    details?: Record<string, unknown> | undefined
  } | undefined
  /** The number of its last stored event. */
  last_seq: number
  /** The first 200 characters of a stored prompt; only in a page. */
  prompt_start?: string | undefined
  /** The prompt; only in a single execution. */
  prompt?: string | undefined
  /** The images and documents that came with the prompt; only in a single execution. `GET /api/v1/executions/{id}/attachments/{digest}` has their content. */
  attachments?: readonly AttachmentRecord[] | undefined
  /** What the request to the Responses API said besides the prompt; only in a single execution. */
  client_request?: Record<string, unknown> | undefined
  /** The same object that the request got as its answer; only in a single execution that ended. */
  result?: Record<string, unknown> | undefined
}

/** A part of the list of executions. */
export type ExecutionPage = {
  /** Newest first, without prompts and results. */
  executions: readonly Execution[]
  /** The last execution of the page, as `before` for the next page; absent on the last page. */
  next?: string | undefined
}

/** A numbered event of an execution. */
export type ExecutionEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  /** The type of a prompt event, or `state`: the execution has reached another state. */
  type: string
  /** The content of the prompt event, or `{"state": …}`. */
  content: Record<string, unknown>
}

/** Which driven runs are listed. */
export type RunQuery = {
  /** Only runs in one of these states. */
  state?: string | undefined
  /** Only runs in exactly this repository. */
  repository?: string | undefined
  /** Only runs of this agent. */
  backend?: string | undefined
  /** Only runs for issues with this label. */
  label?: string | undefined
  /** Only runs of the API key with this name. */
  key?: string | undefined
  /** Part of the goal, or a prefix of the id. */
  search?: string | undefined
  /** Only runs that are older than this one: the `next` of the page before. */
  before?: string | undefined
  /** Number of runs in the page. */
  limit?: number | undefined
}

/** Which part of the changes of a run is read. */
export type DiffQuery = {
  /** Only this file, named as in `files`. The limit of 1 MiB is for its patch alone. */
  path?: string | undefined
  /** Unchanged lines around each change. Of a machine that is gone there are always 3. */
  context?: number | undefined
  /** Only the list of files, with an empty patch. */
  files_only?: boolean | undefined
}

/** What a report is about. */
export type ReportQuery = {
  /** Runs that have changed since this time. The default is 24 hours ago. */
  since?: string | undefined
}

/** An answer to the question of a run. */
export type RunAnswer = {
  /** The answer. It also declines a destructive request. */
  text: string
  /** The action that it is about; refused if that is not the current one. The default is the current one. */
  action_id?: string | undefined
}

/** A run that agents do. */
export type DrivenRun = {
  /** The id of the run. */
  id: string
  /** The goal. */
  goal: string
  /** The first line of the goal. A later round says so, as in `round 2 of Show the wind in knots`. */
  title: string
  /** `queued`: until other runs have ended, see `drive.parallel`. `running`: an agent or a check works. `waiting_for_limit`: until an agent may be used again, see `limit`. `waiting`: for a person, see `waits_for`. `paused`: see `pause`. `stopped`: by a person. `interrupted`: its process ended; it can be resumed. `failed`: see `problem`. `continued`: as `next_run_id`. `ended`: see `delivered`. `merged`: the work is in another branch, see `merged`. `discarded`: see `discarded`. */
  state: 'queued' | 'running' | 'waiting_for_limit' | 'waiting' | 'paused' | 'stopped' | 'interrupted' | 'failed' | 'continued' | 'ended' | 'merged' | 'discarded'
  /** What became of the run, in the words of every face. */
  verdict: RunVerdict
  /** When it was started. */
  created_at: string
  /** When it last changed. */
  updated_at: string
  /** The name of the API key that started it. */
  api_key?: string | undefined
  /** The demo agent may stand in for missing agents. */
  is_demo?: true | undefined
  /** Who drives it; absent if no process does. */
  driven_by?: 'this_server' | 'another_process' | undefined
  /** With PostgreSQL, the machine that has the run and drives it. */
  machine?: string | undefined
  /** No worker is running on its machine, so nothing can be done with it. It continues when one is started there. */
  is_machine_gone?: true | undefined
  /** The repository. */
  repository: string
  /** Where the agents work. A delivered worktree is removed. */
  worktree: string
  /** The branch of the worktree; absent in place. */
  branch?: string | undefined
  /** The commit that the branch starts from. */
  base?: string | undefined
  /** The address of the issue. */
  issue?: string | undefined
  /** The label of the issue for which a watcher started it. */
  label?: string | undefined
  /** A later round works on what the one before left open. */
  round: number
  /** The run of the round before. */
  previous_run_id?: string | undefined
  /** The run that continues what this one left open. */
  next_run_id?: string | undefined
  /** The current action. */
  action?: {
    /** Its id. */
    action_id: string
    /** `orient`, `clarify`, `implement`, `review` or `summarize`. */
    kind: string
    /** Counts the actions of this run. */
    number: number
  } | undefined
  /** The budget of actions. */
  actions: {
    /** Actions that were issued. */
    taken: number
    /** Actions that may still be taken. */
    remaining: number
  }
  /** The agent that does the work. After a limit, it may be another one than the run was started with. */
  backend: string
  /** Its model. */
  model?: string | undefined
  /** The agent that reviews; absent without reviews. */
  review_backend?: string | undefined
  /** Its model. */
  review_model?: string | undefined
  /** What the agent may do without approval while it implements. */
  approval_mode: string
  /** The MCP servers that the agents get. */
  mcp_servers?: readonly string[] | undefined
  /** The commands that must pass. */
  checks: readonly string[]
  /** Further runs for what is still open. */
  rounds: number
  /** What becomes of the work. */
  deliver: 'none' | 'branch' | 'pr'
  /** The run pauses when one of them is reached. */
  limits: {
    /** Tokens. */
    max_tokens?: number | undefined
    /** Costs in US dollars. */
    max_cost_usd?: number | undefined
    /** Working time. */
    max_time_secs?: number | undefined
  }
  /** What was used so far, in all rounds. */
  spent: {
    /** Tokens. */
    tokens: number
    /** Costs, as far as they are known. */
    cost_usd: number
    /** The part of it that no agent reported: tokens at list prices. */
    priced_usd?: number | undefined
    /** Attempts that are missing in the cost. Absent if there is none. */
    unknown_cost_attempts?: number | undefined
    /** Time of agents and checks. */
    time_secs: number
  }
  /** The limit of an agent, or the budget, that the run waits for. */
  limit?: {
    /** The agent. */
    backend: string
    /** How it failed. */
    code: string
    /** When it is tried again. */
    until: string
    /** The agent did not say when its limit is reset. */
    is_guess?: true | undefined
    /** The budget that has nothing left for a prompt or a run. Absent: it failed, or waits, for another reason. */
    budget?: RefusingBudget | undefined
  } | undefined
  /** Its place in the queue; only in the queue. */
  queue?: {
    /** Its place in the queue, from 1. */
    number: number
    /** `turn`: for other runs. `run`: until the run in `after` is delivered. `run_not_delivered`: that run has ended without a branch. `run_gone`: that run does not exist any more. `total`: its group has used what it may use. `limit`: until the limit of its agent is reset. */
    waits_for: 'turn' | 'run' | 'run_not_delivered' | 'run_gone' | 'total' | 'limit'
    /** The run whose branch it starts on. */
    after?: string | undefined
    /** Why it waits, if not only for its turn, as people read it. */
    reason?: string | undefined
  } | undefined
  /** Other runs that change the same files; only in the queue. */
  overlaps?: readonly {
    /** The other run. */
    run_id: string
    /** The files that both change. */
    files: readonly string[]
  }[] | undefined
  /** What the run waits for. */
  waits_for?: {
    /** `source_changed`: the issue was edited; choose with `drover continue`. */
    reason: 'decision_required' | 'destructive_confirmation_required' | 'environment_unavailable' | 'budget_exhausted' | 'source_changed'
    /** The question, or what is missing. */
    question: string
    /** The action that asks. */
    action_id?: string | undefined
    /** What would be destroyed. `confirm` needs its `scope_sha256`; any other answer declines. */
    destructive_request?: DestructiveRequest | undefined
    /** The endpoints that let the run continue. */
    choices: readonly ('answer' | 'confirm' | 'skip' | 'stop' | 'resume' | 'first' | 'move' | 'follow-up' | 'merge' | 'pull-request' | 'take' | 'discard' | 'undo-discard')[]
  } | undefined
  /** Why it is paused. */
  pause?: {
    /** The reason. */
    reason: 'max_tokens' | 'max_cost' | 'cost_unknown' | 'max_time' | 'total_tokens' | 'total_cost' | 'budget_spent' | 'agent_failed' | 'cancelled' | 'killed' | 'review_changed_files' | 'setup_failed' | 'baseline_failed' | 'stopped' | 'tampered' | 'serious_flags' | 'agent_limited' | 'branch_taken' | 'same_failure' | 'follow_rounds' | 'round_failed' | 'follow_stopped'
    /** What to do. */
    message: string
  } | undefined
  /** Why the server could not continue. */
  problem?: {
    /** The code of the error. */
    code: string
    /** What is wrong and what to do. */
    message: string
  } | undefined
  /** Where the work is, also if the verdict is `not delivered`. */
  delivered?: {
    /** Where the work is. The word of the verdict says whether it is delivered. */
    as: 'none' | 'branch' | 'pr'
    /** The branch. */
    branch?: string | undefined
    /** The commit. */
    commit?: string | undefined
    /** The git tree of the commit, or of all files if nothing was committed. */
    tree_id?: string | undefined
    /** The address of the pull request. */
    pull_request?: string | undefined
    /** Why it is not delivered. Always set if the verdict is `not delivered`. */
    note?: string | undefined
  } | undefined
  /** The branch that was checked out when the run was started. `merge` merges into it. Absent if it is not known. */
  base_branch?: string | undefined
  /** Where the work was merged, here or on the forge. */
  merged?: {
    /** The branch. */
    into?: string | undefined
    /** The commit that has the work. */
    commit?: string | undefined
  } | undefined
  /** The work was discarded. `undo-discard` brings it back. Empty if nothing was changed. */
  discarded?: {
    /** The commit that has the work. */
    commit?: string | undefined
    /** It is kept until then. */
    until?: string | undefined
  } | undefined
  /** What people told agents while they worked, oldest first. */
  messages?: readonly ({
    /** The id of the message. */
    message_id: string
    /** What the agent is told. */
    text: string
    /** When it was sent, in UTC. */
    sent_at: string
    /** Who sent it. */
    by: Decider
    /** `now`: the agent gets the message while it works. `next_turn`: it gets the message with the next prompt of its session. */
    delivered: 'now' | 'next_turn'
  })[] | undefined
  /** What people answered, oldest first; only in a single run. */
  answers?: readonly {
    /** The action that asked. */
    action_id: string
    /** The answer. */
    text: string
    /** Whether it permits to destroy what the action asked to destroy. */
    is_permit: boolean
    /** When it was given. */
    at: string
  }[] | undefined
  /** What people did with the work, oldest first. */
  acts?: readonly ({
    /** What was done. */
    did: 'merged' | 'pull_request_opened' | 'discarded' | 'discard_undone' | 'taken'
    /** When. */
    at: string
    /** Who did it. */
    by: Decider
    /** The same in words. */
    text: string
  })[] | undefined
  /** The endpoints that can be called now, with the key of the request. */
  choices: readonly ('answer' | 'confirm' | 'skip' | 'stop' | 'resume' | 'first' | 'move' | 'follow-up' | 'merge' | 'pull-request' | 'take' | 'discard' | 'undo-discard')[]
  /** The number of its last event. */
  last_seq: number
  /** Oldest first; only in a single run. */
  attempts?: readonly DrivenAttempt[] | undefined
  /** The checks in a clean checkout of the commit; only in a single run. */
  delivery_check?: {
    /** The commit. */
    commit: string
    /** `skipped`: see `reason`. */
    result: 'passed' | 'failed' | 'skipped'
    /** Why it was skipped, or what the failure means. */
    reason?: string | undefined
    /** The command of the setup that failed there. Then no check ran. */
    setup_failed?: {
      /** The command. */
      command: string
      /** Absent if it did not exit by itself. */
      exit_code?: number | undefined
      /** Why there is no exit code. */
      problem?: string | undefined
      /** How long it took. */
      duration_ms: number
      /** The end of what it printed. */
      output: string
    } | undefined
    /** The checks that ran there. */
    checks: readonly ({
      /** The command. */
      command: string
      /** Absent if it did not exit by itself. */
      exit_code?: number | undefined
      /** Why there is no exit code. */
      problem?: string | undefined
      /** How long it took. */
      duration_ms: number
      /** The end of what it printed. */
      output: string
      /** Whether it passed. */
      passed: boolean
      /** The tests that it ran. Absent if it is no known test runner. */
      tests?: {
        /** How many passed, of those that are named in the output. */
        passed: number
        /** How many failed. */
        failed: number
        /** How many were skipped. */
        skipped: number
        /** What became of tests since before the work, the worst first. */
        changes: readonly DriveTestChange[]
      } | undefined
    })[]
    /** How long it took. */
    duration_ms: number
  } | undefined
  /** The findings of the last review; only in a single run. */
  findings?: readonly {
    /** Where. */
    location: string
    /** What. */
    summary: string
    /** Why it matters. */
    detail: string
  }[] | undefined
  /** What this round was asked for after a delivery, numbered from 1; only in a single run. */
  requirements?: readonly ({
    /** What was asked for. */
    text: string
    /** `person`: a text of a client. The others are from the pull request. */
    from: 'check' | 'thread' | 'comment' | 'review' | 'base' | 'person'
    /** The file that it is about. */
    path?: string | undefined
    /** The line. */
    line?: number | undefined
    /** Where it was written. */
    url?: string | undefined
    /** What became of it. Absent until the round has ended. */
    verdict?: 'observed' | 'claimed' | 'contradicted' | 'not_done' | undefined
    /** What was seen. */
    note?: string | undefined
  })[] | undefined
  /** Its sandbox; only in a single run. */
  boundary?: RunBoundary | undefined
  /** The sections that the run is bound to; only in a single run from an issue that has them. */
  source?: {
    /** The title of the issue. */
    title: string
    /** In the order of the issue. */
    sections: readonly {
      /** The key of the section. */
      key: string
      /** What the section is for. */
      role: string
      /** Its title. */
      title: string
      /** Its text, as it was when the run was bound to it. */
      markdown: string
      /** The comment that it was taken from. */
      url: string
    }[]
  } | undefined
  /** The report in Markdown; only in a single run. */
  report?: string | undefined
}

/** A request to a person to authorize an operation that cannot be undone. */
export type DestructiveRequest = {
  /** Id of the request. */
  request_id: string
  /** All targets of the operation. */
  targets: readonly DestructiveTarget[]
  /** What would be lost. */
  impact: string
  /** Digest of request id, targets and impact, which a person confirms. */
  scope_sha256: string
}

/** Something that cannot be restored after the operation. */
export type DestructiveTarget = {
  /** Kind of target. */
  kind: 'path' | 'git_ref' | 'external_resource' | 'data_domain'
  /** The target. */
  value: string
}

/** One prompt of a driven run, with what drover observed of it. */
export type DrivenAttempt = {
  /** Counts from 1. */
  attempt: number
  /** The action. */
  action_id: string
  /** `orient`, `clarify`, `implement`, `review` or `summarize`. */
  action_kind: string
  /** Why it was made: for the action, or again because of something. */
  purpose: 'action' | 'outcome_problem' | 'failed_check' | 'contradiction' | 'stalled' | 'after_failure' | 'after_unknown_end' | 'after_limit' | 'hand_over'
  /** The agent. */
  backend: string
  /** The model that was asked for. */
  model?: string | undefined
  /** Its execution, which can be followed. */
  execution_id: string
  /** The session of the agent. */
  session_id?: string | undefined
  /** How it ended. `unknown`: its process was killed. */
  how: 'running' | 'answered' | 'failed' | 'cancelled' | 'stalled' | 'budget' | 'unknown'
  /** When it began. */
  started_at: string
  /** When it ended. */
  ended_at?: string | undefined
  /** How long it took. */
  duration_ms?: number | undefined
  /** The tokens that it used. */
  usage?: TokenUsage | undefined
  /** The cost in US dollars, if it is known. */
  cost_usd?: number | undefined
  /** `reported`: the cost is what the agent said. `priced`: it is the tokens at list prices. `plan`: a subscription pays, so there is none. Absent: the cost is not known. */
  cost_kind?: 'reported' | 'priced' | 'plan' | undefined
  /** The summary of its outcome. */
  summary?: string | undefined
  /** Why it failed, or why its outcome was not valid. */
  error?: string | undefined
  /** The code of the error, if the agent failed. */
  error_code?: string | undefined
  /** Who decided about what the agent asked for, oldest first. */
  approvals?: readonly ApprovalRecord[] | undefined
  /** Warnings, such as denied tool calls. */
  warnings: readonly string[]
  /** The checks that drover ran after it. */
  checks: readonly ({
    /** The command. */
    command: string
    /** Absent if it did not exit by itself. */
    exit_code?: number | undefined
    /** Why there is no exit code. */
    problem?: string | undefined
    /** How long it took. */
    duration_ms: number
    /** The end of what it printed. */
    output: string
    /** Whether it passed. */
    passed: boolean
    /** The tests that it ran. Absent if it is no known test runner. */
    tests?: {
      /** How many passed, of those that are named in the output. */
      passed: number
      /** How many failed. */
      failed: number
      /** How many were skipped. */
      skipped: number
      /** What became of tests since before the work, the worst first. */
      changes: readonly DriveTestChange[]
    } | undefined
    /** When it ended. */
    at: string
  })[]
  /** What drover observed of its claims. */
  evidence?: {
    /** Each claim of the agent, compared with what happened. */
    claims: readonly ({
      /** What the claim is about. */
      about: 'file' | 'activity'
      /** The file, or the command. */
      subject: string
      /** The exit code that the agent reports. */
      exit_code?: number | undefined
      /** What drover observed of it. */
      verdict: 'observed' | 'claimed' | 'contradicted'
      /** What was seen. */
      note: string
      /** The number of the event that shows it. */
      seq?: number | undefined
      /** The execution of that event. */
      execution_id?: string | undefined
    })[]
    /** What a person should look at. */
    flags: readonly ({
      /** What was seen. */
      flag: 'repository_changed' | 'agent_configuration_changed' | 'test_deleted' | 'test_skipped' | 'test_emptied' | 'test_asserts_less' | 'test_expects_other' | 'test_ends_early' | 'failing_tests_removed' | 'failing_tests_skipped' | 'check_configuration_changed' | 'lock_file_changed_alone' | 'link_leaves_repository' | 'history_rewritten' | 'secret_added' | 'change_hidden_from_git' | 'change_too_large' | 'tests_removed' | 'tests_skipped' | 'check_older_than_last_edit' | 'change_not_reported' | 'tool_call_denied' | 'evidence_incomplete' | 'test_changed' | 'build_configuration_changed' | 'committed_by_agent' | 'change_ignored_by_git' | 'checkout_changed'
      /** Whether a person should look at it before using the work. */
      is_serious: boolean
      /** Where it was seen, and what it is. */
      detail: string
      /** The file. */
      path?: string | undefined
      /** The line in the file as it is now. */
      line?: number | undefined
    })[]
  } | undefined
}

/** How the tests of a check differ from those before the work. */
export type DriveTestChange = {
  /** `broken`: passed before. `newly_failing`: failed neither before, nor is known to have passed. `removed`, `skipped`: ran before; with `failing_`, it failed then. `no_longer_failing`: fixed, skipped or removed. `added`: new, and does not fail. */
  change: 'broken' | 'newly_failing' | 'failing_removed' | 'failing_skipped' | 'removed' | 'skipped' | 'still_failing' | 'no_longer_failing' | 'fixed' | 'added'
  /** How many tests. */
  count: number
  /** The first ten of them. */
  names: readonly string[]
  /** Whether a test fails or does not run, and did not before. */
  is_setback: boolean
  /** The same in words, such as `broke: parses dates`. */
  text: string
}

/** What agents, checks and setups of a run reached, and what they were refused, in all of its rounds up to this one. */
export type RunBoundary = {
  /** The program that enforces it. Absent: there was no sandbox. */
  enforced_by?: 'bubblewrap' | undefined
  /** What ran in it: agents, checks, setups. */
  around?: string | undefined
  /** Why there was none. */
  why_not?: string | undefined
  /** The rounds. Absent: the run has only one. */
  rounds?: readonly number[] | undefined
  /** Earlier rounds with another sandbox, or without one. */
  other_rounds?: readonly ({
    /** The round. */
    round: number
    /** The program that enforces it. Absent: there was no sandbox. */
    enforced_by?: 'bubblewrap' | undefined
    /** What ran in it: agents, checks, setups. */
    around?: string | undefined
    /** Why there was none. */
    why_not?: string | undefined
  })[] | undefined
  /** Hosts that were reached. */
  reached: readonly ({
    /** The host and its port. */
    host: string
    /** How often. */
    count: number
    /** What asked for it. */
    by: readonly ('setup' | 'baseline' | 'check' | 'clean_checkout' | 'agent')[]
    /** The rounds. Absent: the run has only one. */
    rounds?: readonly number[] | undefined
  })[]
  /** Hosts that were refused. */
  refused: readonly ({
    /** The host and its port. */
    host: string
    /** Why it was refused. */
    reason: string
    /** How often. */
    count: number
    /** What asked for it. */
    by: readonly ('setup' | 'baseline' | 'check' | 'clean_checkout' | 'agent')[]
    /** The rounds. Absent: the run has only one. */
    rounds?: readonly number[] | undefined
  })[]
  /** Paths that could not be written, as commands printed it. */
  unwritable: readonly ({
    /** The path. */
    path: string
    /** What asked for it. */
    by: readonly ('setup' | 'baseline' | 'check' | 'clean_checkout' | 'agent')[]
    /** The rounds. Absent: the run has only one. */
    rounds?: readonly number[] | undefined
  })[]
  /** Limits that were exceeded, and commits that were not taken for that reason. */
  exceeded: readonly ({
    /** The limit. */
    limit: string
    /** What asked for it. */
    by: readonly ('setup' | 'baseline' | 'check' | 'clean_checkout' | 'agent')[]
    /** The rounds. Absent: the run has only one. */
    rounds?: readonly number[] | undefined
  })[]
}

/** A part of the list of driven runs. */
export type DrivenRunPage = {
  /** Newest first. */
  runs: readonly DrivenRun[]
  /** The last run of the page, as `before` for the next page; absent on the last page. */
  next?: string | undefined
  /** Where runs can be started: `drive.repositories`; with PostgreSQL, those of all workers. */
  repositories: readonly string[]
  /** The checks that a client can choose from: `drive.checks`. */
  checks: readonly string[]
}

/** An event of a driven run. A later version may have more types, and more fields. */
export type DrivenRunEvent = 
  | RunDriveStartedEvent
  | RunDriveResumedEvent
  | RunStartedOnEvent
  | RunMovedEvent
  | RunBoundarySetEvent
  | RunBoundarySeenEvent
  | RunPreparingEvent
  | RunSetupFailedEvent
  | RunPreparedEvent
  | RunBaselineRanEvent
  | RunBaselineDecidedEvent
  | RunAttemptStartedEvent
  | RunLimitDecidedEvent
  | RunWaitingForLimitEvent
  | RunLimitPassedEvent
  | RunHandedOverEvent
  | RunSessionOpenedEvent
  | RunApprovalDecidedEvent
  | RunUserMessageEvent
  | RunAgentRetriesEvent
  | RunAgentAnsweredEvent
  | RunAttemptEndedEvent
  | RunRepositoryChangedEvent
  | RunRepositoryRestoredEvent
  | RunCheckRanEvent
  | RunEvidenceEvent
  | RunOutcomeRejectedEvent
  | RunOutcomeSubmittedEvent
  | RunPausedEvent
  | RunInterruptedEvent
  | RunDriveFailedEvent
  | RunRoundStartedEvent
  | RunDeliveryCheckedEvent
  | RunDeliveredEvent
  | RunAskedEvent
  | RunRequirementsJudgedEvent
  | RunAnsweredEvent
  | RunBaseSeenEvent
  | RunDescribedEvent
  | RunBranchTakenEvent
  | RunTakenOverEvent
  | RunMadeReadyEvent
  | RunFollowedEvent
  | RunMergeCheckedEvent
  | RunMergingEvent
  | RunMergedEvent
  | RunPullRequestOpenedEvent
  | RunDiscardedEvent
  | RunDiscardUndoneEvent
  | RunTakenEvent
  | RunStateEvent

/** A round of the run is set up, with its goal, its place and its options. */
export type RunDriveStartedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'drive_started'
  data: {
    run_id: string
    goal: string
    round: number
    previous_run_id?: string | undefined
    place: 
      | {
      kind: 'in_place'
      root: string
      folder?: string | undefined
    }
      | {
      kind: 'worktree'
      root: string
      branch: string
      base: string
      base_branch?: string | undefined
      repository: string
      folder?: string | undefined
      port?: number | undefined
    }
    issue?: {
      url: string
      /** Digest of title and body. */
      sha256: string
    } | undefined
    is_queued?: true | undefined
    after?: string | undefined
    spent: {
      tokens: number
      cost_microusd: number
      priced_microusd?: number | undefined
      time_ms: number
    }
    options: {
      backend: string
      model?: string | undefined
      review_backend: string
      review_model?: string | undefined
      unpriced_reviewer?: string | undefined
      approval_mode: 'default' | 'auto' | 'sandboxed' | 'none' | 'always'
      is_demo: boolean
      checks: readonly string[]
      check_timeout_ms: number
      max_tokens?: number | undefined
      max_cost_microusd?: number | undefined
      max_time_ms?: number | undefined
      rounds: number
      attempts: number
      stall_ms: number
      deliver: 'none' | 'branch' | 'pr'
      setup?: readonly string[] | undefined
      copy?: readonly string[] | undefined
      share?: readonly string[] | undefined
      setup_timeout_ms?: number | undefined
      baseline?: 'note' | 'skip' | 'require' | undefined
      on_flags?: 'deliver' | 'ask' | undefined
      on_limit?: 'ask' | 'wait' | 'next' | 'pause' | undefined
      max_wait_ms?: number | undefined
      fallback?: readonly string[] | undefined
      sandbox?: 'on' | 'off' | 'required' | undefined
      mcp_servers?: readonly string[] | undefined
      follow?: boolean | undefined
      follow_rounds?: number | undefined
      poll_ms?: number | undefined
      reviewers?: readonly string[] | undefined
      ready?: boolean | undefined
    }
    is_reviewed?: boolean | undefined
    requirements?: readonly ({
      id: string
      from: 'check' | 'thread' | 'comment' | 'review' | 'base' | 'person'
      text: string
      by?: string | undefined
      url?: string | undefined
      path?: string | undefined
      line?: number | undefined
      thread?: number | undefined
      signature?: string | undefined
      commit?: string | undefined
      conflicts?: readonly string[] | undefined
    })[] | undefined
    first_round?: number | undefined
  }
}

/** A driver continues the run. `chooses_limit`: the person who continues it says what happens at limits, also at the one that it waits for. */
export type RunDriveResumedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'drive_resumed'
  data: {
    options: {
      backend: string
      model?: string | undefined
      review_backend: string
      review_model?: string | undefined
      unpriced_reviewer?: string | undefined
      approval_mode: 'default' | 'auto' | 'sandboxed' | 'none' | 'always'
      is_demo: boolean
      checks: readonly string[]
      check_timeout_ms: number
      max_tokens?: number | undefined
      max_cost_microusd?: number | undefined
      max_time_ms?: number | undefined
      rounds: number
      attempts: number
      stall_ms: number
      deliver: 'none' | 'branch' | 'pr'
      setup?: readonly string[] | undefined
      copy?: readonly string[] | undefined
      share?: readonly string[] | undefined
      setup_timeout_ms?: number | undefined
      baseline?: 'note' | 'skip' | 'require' | undefined
      on_flags?: 'deliver' | 'ask' | undefined
      on_limit?: 'ask' | 'wait' | 'next' | 'pause' | undefined
      max_wait_ms?: number | undefined
      fallback?: readonly string[] | undefined
      sandbox?: 'on' | 'off' | 'required' | undefined
      mcp_servers?: readonly string[] | undefined
      follow?: boolean | undefined
      follow_rounds?: number | undefined
      poll_ms?: number | undefined
      reviewers?: readonly string[] | undefined
      ready?: boolean | undefined
    }
    chooses_limit?: true | undefined
  }
}

/** The worktree was put on the branch of the run before. */
export type RunStartedOnEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'started_on'
  data: {
    run_id: string
    commit: string
  }
}

/** Another machine continues the run, because there was no worker on its own any more. */
export type RunMovedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'moved'
  data: {
    from: string
    to: string
  }
}

/** What the latest driver runs agents, checks and setups in. */
export type RunBoundarySetEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'boundary_set'
  data: {
    is: 'inside' | 'outside'
    agents?: readonly string[] | undefined
    why?: string | undefined
  }
}

/** What was reached and refused in the sandbox since the last record of it. */
export type RunBoundarySeenEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'boundary_seen'
  data: {
    by: 'setup' | 'baseline' | 'check' | 'clean_checkout' | 'agent'
    attempt?: number | undefined
    reached: readonly {
      host: string
      count: number
    }[]
    refused: readonly {
      host: string
      reason: string
      count: number
    }[]
    unwritable: readonly string[]
    exceeded?: readonly string[] | undefined
  }
}

/** A step of the preparation of the worktree begins. */
export type RunPreparingEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'preparing'
  data: {
    step: 'copy' | 'share' | 'template' | 'setup'
    command?: string | undefined
  }
}

/** The preparation failed. Without a command: files could not be copied into the worktree. */
export type RunSetupFailedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'setup_failed'
  data: {
    command?: string | undefined
    exit_code?: number | undefined
    problem?: string | undefined
    duration_ms: number
    output: string
  }
}

/** The worktree is prepared. */
export type RunPreparedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'prepared'
  data: {
    from: 'setup' | 'template' | 'share' | 'nothing'
    copied: readonly string[]
    notes: readonly string[]
    duration_ms: number
  }
}

/** A check ran before the first attempt. Files that it changed were put back. */
export type RunBaselineRanEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'baseline_ran'
  data: {
    command: string
    passed: boolean
    could_start: boolean
    exit_code?: number | undefined
    problem?: string | undefined
    duration_ms: number
    output: string
    put_back?: readonly string[] | undefined
    tests?: {
      /** Whose format it is. */
      runner: 'junit' | 'vitest' | 'jest' | 'pytest' | 'go' | 'cargo' | 'tap' | 'node'
      /** `all`: every test is named. `failures`: every test that failed is. `some`: others may have failed. */
      listed: 'all' | 'failures' | 'some'
      /** Each test that failed. */
      failed: readonly string[]
      /** Each test that was skipped, is to do, or was expected to fail. */
      skipped: readonly string[]
      /** Each test that passed. */
      passed: readonly string[]
    } | undefined
  }
}

/** Checks fail before the work, and it was decided whether the work begins. */
export type RunBaselineDecidedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'baseline_decided'
  data: {
    by: 'person' | 'drover'
    is_accepted: boolean
  }
}

/** An agent gets a prompt. */
export type RunAttemptStartedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'attempt_started'
  data: {
    attempt: number
    action_id: string
    action_kind: 'orient' | 'clarify' | 'implement' | 'review' | 'summarize'
    action_number: number
    actions_left: number
    purpose: 'action' | 'outcome_problem' | 'failed_check' | 'contradiction' | 'stalled' | 'after_failure' | 'after_unknown_end' | 'after_limit' | 'hand_over'
    backend: string
    model?: string | undefined
    execution_id: string
    is_inside?: true | undefined
    resumes?: string | undefined
    reserved: {
      tokens?: number | undefined
      cost_microusd?: number | undefined
      time_ms?: number | undefined
    }
    project_settings?: string | undefined
    git_settings?: string | undefined
    repository?: string | undefined
    prompt_sha256: string
  }
}

/** What happens at limits of agents in this run. */
export type RunLimitDecidedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'limit_decided'
  data: {
    by: 'person' | 'drover'
    choice: 'wait' | 'next' | 'pause'
  }
}

/** No agent gets a request until then. `is_guess`: the reset is not known. */
export type RunWaitingForLimitEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'waiting_for_limit'
  data: {
    backend: string
    code: string
    until: string
    is_guess?: true | undefined
    /** The budget that has nothing left for a prompt or a run. Absent: it failed, or waits, for another reason. */
    budget?: RefusingBudget | undefined
  }
}

/** The agent is tried again. */
export type RunLimitPassedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'limit_passed'
  data: {
    backend: string
  }
}

/** Another agent does the work from now on, because an attempt reached a limit. */
export type RunHandedOverEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'handed_over'
  data: {
    attempt: number
    to: string
    code: string
  }
}

/** The agent of an attempt has a session. */
export type RunSessionOpenedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'session_opened'
  data: {
    attempt: number
    session_id: string
  }
}

/** Someone has decided about what the agent asked for. */
export type RunApprovalDecidedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'approval_decided'
  data: {
    attempt: number
    /** The id of the request. */
    approval_id: string
    /** The id of the tool call; its result has the same id. */
    tool_id?: string | undefined
    /** The agent's name for the tool. */
    tool_name: string
    /** The command, or the first 1000 characters of it. */
    command?: string | undefined
    /** The digest of what was asked for: of the JSON of an object with `tool_name`, `command`, `diff` and `input` of the request, in this order, without those that it does not have. */
    input_sha256: string
    /** What was decided. */
    decision: 'allow' | 'allow_session' | 'deny'
    /** The reason that the agent was told. */
    message?: string | undefined
    /** What the agent was answered, if it asked questions. */
    answers?: readonly (readonly string[])[] | undefined
    /** Who decided. */
    by: Decider
  }
}

/** Someone has told the agent something while it worked. A message that waited for its next turn is recorded twice. */
export type RunUserMessageEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'user_message'
  data: {
    attempt: number
    /** The id of the message. */
    message_id: string
    /** What the agent is told. */
    text: string
    /** When it was sent, in UTC. */
    sent_at: string
    /** Who sent it. */
    by: Decider
    /** `now`: the agent gets the message while it works. `next_turn`: it gets the message with the next prompt of its session. */
    delivered: 'now' | 'next_turn'
  }
}

/** The agent sends its request to its provider again: the first, second, fourth time and so on in a row. */
export type RunAgentRetriesEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'agent_retries'
  data: {
    attempt: number
    count: number
    since: string
    message: string
  }
}

/** The provider has answered. */
export type RunAgentAnsweredEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'agent_answered'
  data: {
    attempt: number
  }
}

/** The agent has ended, or was stopped. Costs are in millionths of a dollar. */
export type RunAttemptEndedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'attempt_ended'
  data: {
    attempt: number
    how: 'answered' | 'failed' | 'cancelled' | 'stalled' | 'budget' | 'unknown'
    session_id?: string | undefined
    model?: string | undefined
    /** Token counts of a turn as the agent reports them; 0 if it does not report a count. */
    usage?: TokenUsage | undefined
    cost_microusd?: number | undefined
    /** `reported`: the cost is what the agent said. `priced`: it is the tokens at list prices. `plan`: a subscription pays, so there is none. Absent: the cost is not known. */
    cost_kind?: 'reported' | 'priced' | 'plan' | undefined
    duration_ms: number
    outcome?: string | undefined
    problem?: string | undefined
    said?: string | undefined
    error?: string | undefined
    error_code?: string | undefined
    retry_after_ms?: number | undefined
    /** The budget that has nothing left for a prompt or a run. Absent: it failed, or waits, for another reason. */
    budget?: RefusingBudget | undefined
    trace: readonly (
      | {
      did: 'command'
      seq: number
      command: string
      exit_code?: number | undefined
    }
      | {
      did: 'edit'
      seq: number
      paths: readonly string[]
    })[]
    warnings: readonly string[]
  }
}

/** The repository, outside of the branch of the run, is not what it was before the attempt. */
export type RunRepositoryChangedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'repository_changed'
  data: {
    attempt: number
    /** Digest of the saved state before the attempt. */
    state: string
    changes: readonly ({
      what: 'ref' | 'head' | 'config' | 'hook' | 'git_file' | 'user_config' | 'file'
      name: string
      before?: string | undefined
      after?: string | undefined
      keys?: readonly string[] | undefined
      note?: 'no_tool_call' | 'own_log' | 'fetched' | 'sandboxed' | undefined
    })[]
    /** The number of changes, with those that are not listed. */
    count: number
  }
}

/** Such changes are undone. */
export type RunRepositoryRestoredEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'repository_restored'
  data: {
    restored: readonly {
      attempt: number
      name: string
    }[]
  }
}

/** A check ran after an attempt. */
export type RunCheckRanEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'check_ran'
  data: {
    attempt: number
    command: string
    passed: boolean
    exit_code?: number | undefined
    problem?: string | undefined
    duration_ms: number
    output: string
    put_back?: readonly string[] | undefined
    tree_id_before?: string | undefined
    tree_id?: string | undefined
    tests?: {
      /** Whose format it is. */
      runner: 'junit' | 'vitest' | 'jest' | 'pytest' | 'go' | 'cargo' | 'tap' | 'node'
      /** `all`: every test is named. `failures`: every test that failed is. `some`: others may have failed. */
      listed: 'all' | 'failures' | 'some'
      /** Each test that failed. */
      failed: readonly string[]
      /** Each test that was skipped, is to do, or was expected to fail. */
      skipped: readonly string[]
      /** Each test that passed. */
      passed: readonly string[]
    } | undefined
  }
}

/** What drover observed of the claims of an attempt, and what a person should look at. */
export type RunEvidenceEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'evidence'
  data: {
    attempt: number
    claims: readonly ({
      about: 'file' | 'activity'
      subject: string
      exit_code?: number | undefined
      verdict: 'observed' | 'claimed' | 'contradicted'
      note: string
      seq?: number | undefined
      execution_id?: string | undefined
    })[]
    flags: readonly ({
      flag: 'repository_changed' | 'agent_configuration_changed' | 'test_deleted' | 'test_skipped' | 'test_emptied' | 'test_asserts_less' | 'test_expects_other' | 'test_ends_early' | 'failing_tests_removed' | 'failing_tests_skipped' | 'check_configuration_changed' | 'lock_file_changed_alone' | 'link_leaves_repository' | 'history_rewritten' | 'secret_added' | 'change_hidden_from_git' | 'change_too_large' | 'tests_removed' | 'tests_skipped' | 'check_older_than_last_edit' | 'change_not_reported' | 'tool_call_denied' | 'evidence_incomplete' | 'test_changed' | 'build_configuration_changed' | 'committed_by_agent' | 'change_ignored_by_git' | 'checkout_changed'
      detail: string
      path?: string | undefined
      line?: number | undefined
    })[]
  }
}

/** The run does not accept an outcome that is valid by itself. */
export type RunOutcomeRejectedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'outcome_rejected'
  data: {
    attempt: number
    problem: string
  }
}

/** The run has the outcome of an action. `by`: `drover` wrote it if the agent gave none. */
export type RunOutcomeSubmittedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'outcome_submitted'
  data: {
    action_id: string
    attempt?: number | undefined
    payload_sha256: string
    status: string
    by: 'agent' | 'drover'
  }
}

/** The run is paused until a person continues it. */
export type RunPausedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'paused'
  data: {
    reason: 'max_tokens' | 'max_cost' | 'cost_unknown' | 'max_time' | 'total_tokens' | 'total_cost' | 'budget_spent' | 'agent_failed' | 'cancelled' | 'killed' | 'review_changed_files' | 'setup_failed' | 'baseline_failed' | 'stopped' | 'tampered' | 'serious_flags' | 'agent_limited' | 'branch_taken' | 'same_failure' | 'follow_rounds' | 'round_failed' | 'follow_stopped'
    message: string
  }
}

/** The driver was told to end, and has ended. */
export type RunInterruptedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'interrupted'
  data: {
  }
}

/** The driver could not continue, or could not deliver. */
export type RunDriveFailedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'drive_failed'
  data: {
    code: string
    message: string
  }
}

/** The run continues as another one, which works on what is open. */
export type RunRoundStartedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'round_started'
  data: {
    next_run_id: string
    requirements?: readonly ({
      id: string
      from: 'check' | 'thread' | 'comment' | 'review' | 'base' | 'person'
      text: string
      by?: string | undefined
      url?: string | undefined
      path?: string | undefined
      line?: number | undefined
      thread?: number | undefined
      signature?: string | undefined
      commit?: string | undefined
      conflicts?: readonly string[] | undefined
    })[] | undefined
    open?: readonly string[] | undefined
  }
}

/** The checks ran in a clean checkout of the commit, before it counts as delivered. */
export type RunDeliveryCheckedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'delivery_checked'
  data: {
    commit: string
    result: 'passed' | 'failed' | 'skipped'
    reason?: string | undefined
    setup_failed?: {
      command: string
      exit_code?: number | undefined
      problem?: string | undefined
      duration_ms: number
      output: string
    } | undefined
    checks: readonly ({
      command: string
      passed: boolean
      exit_code?: number | undefined
      problem?: string | undefined
      duration_ms: number
      output: string
      tests?: {
        /** Whose format it is. */
        runner: 'junit' | 'vitest' | 'jest' | 'pytest' | 'go' | 'cargo' | 'tap' | 'node'
        /** `all`: every test is named. `failures`: every test that failed is. `some`: others may have failed. */
        listed: 'all' | 'failures' | 'some'
        /** Each test that failed. */
        failed: readonly string[]
        /** Each test that was skipped, is to do, or was expected to fail. */
        skipped: readonly string[]
        /** Each test that passed. */
        passed: readonly string[]
      } | undefined
    })[]
    duration_ms: number
  }
}

/** Where the work is. It is delivered, or `note` says why not. */
export type RunDeliveredEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'delivered'
  data: {
    as: 'none' | 'branch' | 'pr'
    branch?: string | undefined
    commit?: string | undefined
    tree_id?: string | undefined
    pull_request?: string | undefined
    note?: string | undefined
  }
}

/** What the user wants in addition. It waits until the work is delivered. */
export type RunAskedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'asked'
  data: {
    requirements: readonly ({
      id: string
      from: 'check' | 'thread' | 'comment' | 'review' | 'base' | 'person'
      text: string
      by?: string | undefined
      url?: string | undefined
      path?: string | undefined
      line?: number | undefined
      thread?: number | undefined
      signature?: string | undefined
      commit?: string | undefined
      conflicts?: readonly string[] | undefined
    })[]
  }
}

/** What became of each requirement of the round. */
export type RunRequirementsJudgedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'requirements_judged'
  data: {
    verdicts: readonly ({
      id: string
      verdict: 'observed' | 'claimed' | 'contradicted' | 'not_done'
      text: string
    })[]
  }
}

/** The forge has the answer to a comment. */
export type RunAnsweredEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'answered'
  data: {
    id: string
  }
}

/** The base of the pull request has moved. */
export type RunBaseSeenEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'base_seen'
  data: {
    commit: string
    is_clean: boolean
  }
}

/** The pull request has the report about this commit. */
export type RunDescribedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'described'
  data: {
    commit: string
  }
}

/** Another person pushed to the branch, and was told that drover does not push any more. */
export type RunBranchTakenEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'branch_taken'
  data: {
    commit: string
  }
}

/** A person lets drover continue on top of that. */
export type RunTakenOverEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'taken_over'
  data: {
    commit: string
  }
}

/** The pull request is no longer a draft. */
export type RunMadeReadyEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'made_ready'
  data: {
    commit: string
  }
}

/** The pull request was merged or closed. */
export type RunFollowedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'followed'
  data: {
    end: 'merged' | 'closed'
    merge_commit?: string | undefined
  }
}

/** The base has moved since the run began, so the checks were run on the merge commit. */
export type RunMergeCheckedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'merge_checked'
  data: {
    into: string
    commit: string
    result: 'passed' | 'failed' | 'skipped'
    reason?: string | undefined
    setup_failed?: {
      command: string
      exit_code?: number | undefined
      problem?: string | undefined
      duration_ms: number
      output: string
    } | undefined
    checks: readonly ({
      command: string
      passed: boolean
      exit_code?: number | undefined
      problem?: string | undefined
      duration_ms: number
      output: string
      tests?: {
        /** Whose format it is. */
        runner: 'junit' | 'vitest' | 'jest' | 'pytest' | 'go' | 'cargo' | 'tap' | 'node'
        /** `all`: every test is named. `failures`: every test that failed is. `some`: others may have failed. */
        listed: 'all' | 'failures' | 'some'
        /** Each test that failed. */
        failed: readonly string[]
        /** Each test that was skipped, is to do, or was expected to fail. */
        skipped: readonly string[]
        /** Each test that passed. */
        passed: readonly string[]
      } | undefined
    })[]
    duration_ms: number
  }
}

/** The branch `into` is about to move. A process that is killed now has moved it, or not. */
export type RunMergingEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'merging'
  data: {
    /** Who did it. */
    by: Decider
    into: string
    from: string
    commit: string
    how: 'fast_forward' | 'merge_commit' | 'by_hand'
  }
}

/** The work is in the branch `into`. `by_hand`: the branch had the work already. */
export type RunMergedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'merged'
  data: {
    /** Who did it. */
    by: Decider
    into: string
    commit: string
    how: 'fast_forward' | 'merge_commit' | 'by_hand'
  }
}

/** A person had a pull request opened. */
export type RunPullRequestOpenedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'pull_request_opened'
  data: {
    /** Who did it. */
    by: Decider
    url: string
  }
}

/** The work is discarded: the worktree and the branch are removed after this record. `ref` keeps the commit until `until`. Without a commit, there was no work. */
export type RunDiscardedEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'discarded'
  data: {
    /** Who did it. */
    by: Decider
    branch: string
    commit?: string | undefined
    ref?: string | undefined
    until?: string | undefined
  }
}

/** The discarded branch is back. */
export type RunDiscardUndoneEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'discard_undone'
  data: {
    /** Who did it. */
    by: Decider
    branch: string
    commit?: string | undefined
  }
}

/** The branch is checked out in the worktree `root`. */
export type RunTakenEvent = {
  /** Counts from 1, without gaps. */
  seq: number
  /** The time of the event, in UTC. */
  at: string
  type: 'taken'
  data: {
    /** Who did it. */
    by: Decider
    branch: string
    root: string
  }
}

/** The stream begins, or the state of the run has changed. It has no number. */
export type RunStateEvent = {
  /** The time of the event, in UTC. */
  at: string
  type: 'state'
  data: {
    /** The state of the run. */
    state: 'queued' | 'running' | 'waiting_for_limit' | 'waiting' | 'paused' | 'stopped' | 'interrupted' | 'failed' | 'continued' | 'ended' | 'merged' | 'discarded'
    /** Who drives it. */
    driven_by?: 'this_server' | 'another_process' | undefined
  }
}

/** What the branch of a run changes. */
export type DrivenDiff = {
  /** The id of the run. */
  id: string
  /** The commit that the branch starts from. */
  base: string
  /** The branch. */
  branch: string
  /** The delivered commit. Without one, the files of the worktree are compared. */
  commit?: string | undefined
  /** The changed files. */
  files: readonly ({
    /** The path. */
    path: string
    /** The path that it was renamed from. */
    from?: string | undefined
    insertions: number | null
    deletions: number | null
  })[]
  /** The changes in the format of `git diff`. */
  patch: string
  /** Whether the patch is longer than what is shown. All files are listed. */
  is_cut: boolean
}

/** What became of driven runs, by repository. */
export type NightReports = {
  /** Runs that have changed since then are shown. */
  since: string
  /** Those with runs that have changed since then. */
  repositories: readonly ({
    /** The repository. */
    repository: string
    /** The machine that has it, if there are many. */
    machine?: string | undefined
    /** What became of the driven runs of a repository. */
    report: NightReport
  })[]
}

/** What became of the driven runs of a repository. */
export type NightReport = {
  /** Runs that have changed since then are shown. */
  since: string
  /** Oldest change first. A run that another one continues is a part of that one. */
  runs: readonly ({
    /** Its id. */
    run_id: string
    /** The first line of its goal. */
    title: string
    /** Where it is on the page. */
    section: 'Delivered' | 'Delivered, look first' | 'Waits for you' | 'Not delivered' | 'Discarded' | 'Still running'
    /** What became of a run that agents drive. */
    verdict: RunVerdict
    /** What it asks, with its line breaks, if it waits for an answer. */
    question?: string | undefined
    /** What an earlier round has delivered, if the run has delivered nothing since. */
    delivered_before?: {
      /** The branch. */
      branch: string
      /** The commit that was delivered. */
      commit: string
    } | undefined
    /** What it has used, with all of its rounds. */
    spent: {
      /** Tokens. */
      tokens: number
      /** Millionths of a dollar, as far as costs are known. */
      cost_microusd: number
      /** The part of it that no agent reported: tokens at list prices. */
      priced_microusd?: number | undefined
      /** Attempts that are missing in the cost. Absent if there is none. */
      unknown_cost_attempts?: number | undefined
      /** The time of agents and checks. */
      time_ms: number
    }
    /** The files that it changes. */
    paths: readonly string[]
  })[]
  /** What all of them have used. */
  spent: {
    /** Tokens. */
    tokens: number
    /** Millionths of a dollar, as far as costs are known. */
    cost_microusd: number
    /** The part of it that no agent reported: tokens at list prices. */
    priced_microusd?: number | undefined
    /** Attempts that are missing in the cost. Absent if there is none. */
    unknown_cost_attempts?: number | undefined
    /** The time of agents and checks. */
    time_ms: number
  }
  /** In which order delivered branches can be merged. Absent: nothing to merge, or git is too old. */
  merge?: {
    /** Branches that merge without conflicts, one after the other. */
    order: readonly string[]
    /** The other branches. */
    conflicts: readonly {
      /** The branch. */
      branch: string
      /** The files in conflict. */
      paths: readonly string[]
    }[]
    /** The branch that they are merged into. Absent if none is checked out. */
    into?: string | undefined
  } | undefined
  /** Files that several runs change. */
  overlaps: readonly {
    /** The file. */
    path: string
    /** The runs that change it. */
    run_ids: readonly string[]
  }[]
}

/** Settings as in the config file. Every one may be left out. */
export type DroverConfig = {
  /** Backend for prompts that do not name one. */
  default_backend?: string | undefined
  /** How much may be used, for a key, a repository, a label of watched issues, or everything together. Before an agent starts, what it may need is reserved. */
  budgets?: readonly ({
    /** How much may be used, such as `20usd/day`: usd, tokens, requests or minutes of agents, per day, week, month or once. */
    limit: string
    /** The name of an API key. `*`: each key has such a budget. */
    key?: string | undefined
    /** A directory: prompts and driven runs in it, and below it. */
    repository?: string | undefined
    /** A label of issues: the runs that watchers start for them. */
    label?: string | undefined
  })[] | undefined
  /** Prices of models, for agents that report tokens but no cost. The first entry that matches decides; then the built-in list prices. */
  prices?: readonly ({
    /** The model as the agent names it; `*` stands for any text. */
    model: string
    /** Dollars per million tokens of input. */
    input: number
    /** The same for input that comes from a cache. Default: as other input. */
    cached_input?: number | undefined
    /** The same for input that is written to a cache. Default: as other input. */
    cache_write?: number | undefined
    /** Dollars per million tokens of output, thinking included. */
    output: number
  })[] | undefined
  /** MCP servers that agents get, besides those of their own settings. A prompt can choose some of them by name. They run outside of the sandbox of the agent. */
  mcp_servers?: readonly ({
    /** The name of the server, which prompts use. */
    name: string
    /** The program of a server on standard input and output. */
    command?: string | undefined
    /** Its arguments. Other users can see them. */
    args?: readonly string[] | undefined
    /** Variables of the program. `${NAME}` stands for a variable of drover, `${file:/path}` for the content of a file. */
    env?: Readonly<Record<string, string>> | undefined
    /** The address of a server over HTTP, instead. */
    url?: string | undefined
    /** Headers for that address, with references as in `env`. */
    headers?: Readonly<Record<string, string>> | undefined
    /** Its tools change nothing. Without it, agents that may only read do not get the server. Default: they may change things. */
    read_only?: boolean | undefined
  })[] | undefined
  unified_flags?: {
    /** What agents may do without approval: edit files (`auto`), everything in a sandbox (`sandboxed`), everything (`none`), nothing (`always`), or what the agent's own settings allow (`default`). What needs approval is denied unless someone approves it. */
    approval_mode?: 'default' | 'auto' | 'sandboxed' | 'none' | 'always' | undefined
    /** What agents may access: `read-only`, `workspace` (the working directory) or `full`. `default`: the setting of the agent itself; for Codex `read-only`. */
    sandbox_mode?: 'default' | 'read-only' | 'workspace' | 'full' | undefined
    /** Requests more output from agents. A prompt cannot turn it off. */
    verbose?: boolean | undefined
    /** Shows the command instead of starting the agent. A prompt cannot turn it off. */
    dry_run?: boolean | undefined
    /** Maximum turns of an agent, if it supports such a limit. 0: no limit. */
    max_turns?: number | undefined
    /** Accepted but not used: no agent has such a flag. */
    max_tokens?: number | undefined
    /** Maximum run time of one agent in seconds. 0: no limit. */
    command_timeout_secs?: number | undefined
    /** Seconds that an agent may print nothing before it is stopped. Running tools and questions do not count. 0: no limit. -1: the default of the agent, which is 120 unless `docs/agents.md` says otherwise. */
    silence_secs?: number | undefined
  } | undefined
  backends?: {
    claude?: {
      /** Model for prompts that do not name one: a model of the agent, or an alias. Empty: the agent chooses. */
      model?: string | undefined
      /** Tools the agent may use without approval, in its own notation. Only Claude Code has such a list. `all` or empty: no list. */
      allowed_tools?: string | undefined
      /** Overrides `unified_flags.approval_mode` for this backend. Empty: no override. */
      approval_mode?: '' | 'default' | 'auto' | 'sandboxed' | 'none' | 'always' | undefined
      /** Overrides `unified_flags.sandbox_mode` for this backend. Empty: no override. */
      sandbox_mode?: '' | 'default' | 'read-only' | 'workspace' | 'full' | undefined
      /** Overrides `unified_flags.silence_secs` for this backend. 0: no limit. -1: no override. */
      silence_secs?: number | undefined
      /** Arguments added to every call of the agent, after all others. drover does not check them. */
      extra_flags?: readonly string[] | undefined
      /** `false` disables the backend: it is not listed, and prompts for it are refused. */
      enabled?: boolean | undefined
      /** `true` if a subscription pays for the agent, not its tokens. Then its prompts have no cost in dollars; budgets of tokens, requests and minutes count them. */
      plan?: boolean | undefined
      /** System prompt for prompts without one. */
      system_prompt?: string | undefined
      /** The program to start: a name in `PATH`, or an absolute path. */
      command?: string | undefined
      /** Aliases for models. Entries are added to the built-in aliases, or replace one of the same name. */
      model_aliases?: Readonly<Record<string, string>> | undefined
    } | undefined
    codex?: {
      /** Model for prompts that do not name one: a model of the agent, or an alias. Empty: the agent chooses. */
      model?: string | undefined
      /** Tools the agent may use without approval, in its own notation. Only Claude Code has such a list. `all` or empty: no list. */
      allowed_tools?: string | undefined
      /** Overrides `unified_flags.approval_mode` for this backend. Empty: no override. */
      approval_mode?: '' | 'default' | 'auto' | 'sandboxed' | 'none' | 'always' | undefined
      /** Overrides `unified_flags.sandbox_mode` for this backend. Empty: no override. */
      sandbox_mode?: '' | 'default' | 'read-only' | 'workspace' | 'full' | undefined
      /** Overrides `unified_flags.silence_secs` for this backend. 0: no limit. -1: no override. */
      silence_secs?: number | undefined
      /** Arguments added to every call of the agent, after all others. drover does not check them. */
      extra_flags?: readonly string[] | undefined
      /** `false` disables the backend: it is not listed, and prompts for it are refused. */
      enabled?: boolean | undefined
      /** `true` if a subscription pays for the agent, not its tokens. Then its prompts have no cost in dollars; budgets of tokens, requests and minutes count them. */
      plan?: boolean | undefined
      /** System prompt for prompts without one. */
      system_prompt?: string | undefined
      /** The program to start: a name in `PATH`, or an absolute path. */
      command?: string | undefined
      /** Aliases for models. Entries are added to the built-in aliases, or replace one of the same name. */
      model_aliases?: Readonly<Record<string, string>> | undefined
    } | undefined
    gemini?: {
      /** Model for prompts that do not name one: a model of the agent, or an alias. Empty: the agent chooses. */
      model?: string | undefined
      /** Tools the agent may use without approval, in its own notation. Only Claude Code has such a list. `all` or empty: no list. */
      allowed_tools?: string | undefined
      /** Overrides `unified_flags.approval_mode` for this backend. Empty: no override. */
      approval_mode?: '' | 'default' | 'auto' | 'sandboxed' | 'none' | 'always' | undefined
      /** Overrides `unified_flags.sandbox_mode` for this backend. Empty: no override. */
      sandbox_mode?: '' | 'default' | 'read-only' | 'workspace' | 'full' | undefined
      /** Overrides `unified_flags.silence_secs` for this backend. 0: no limit. -1: no override. */
      silence_secs?: number | undefined
      /** Arguments added to every call of the agent, after all others. drover does not check them. */
      extra_flags?: readonly string[] | undefined
      /** `false` disables the backend: it is not listed, and prompts for it are refused. */
      enabled?: boolean | undefined
      /** `true` if a subscription pays for the agent, not its tokens. Then its prompts have no cost in dollars; budgets of tokens, requests and minutes count them. */
      plan?: boolean | undefined
      /** System prompt for prompts without one. */
      system_prompt?: string | undefined
      /** The program to start: a name in `PATH`, or an absolute path. */
      command?: string | undefined
      /** Aliases for models. Entries are added to the built-in aliases, or replace one of the same name. */
      model_aliases?: Readonly<Record<string, string>> | undefined
    } | undefined
    [name: string]: {
      /** Model for prompts that do not name one: a model of the agent, or an alias. Empty: the agent chooses. */
      model?: string | undefined
      /** Tools the agent may use without approval, in its own notation. Only Claude Code has such a list. `all` or empty: no list. */
      allowed_tools?: string | undefined
      /** Overrides `unified_flags.approval_mode` for this backend. Empty: no override. */
      approval_mode?: '' | 'default' | 'auto' | 'sandboxed' | 'none' | 'always' | undefined
      /** Overrides `unified_flags.sandbox_mode` for this backend. Empty: no override. */
      sandbox_mode?: '' | 'default' | 'read-only' | 'workspace' | 'full' | undefined
      /** Overrides `unified_flags.silence_secs` for this backend. 0: no limit. -1: no override. */
      silence_secs?: number | undefined
      /** Arguments added to every call of the agent, after all others. drover does not check them. */
      extra_flags?: readonly string[] | undefined
      /** `false` disables the backend: it is not listed, and prompts for it are refused. */
      enabled?: boolean | undefined
      /** `true` if a subscription pays for the agent, not its tokens. Then its prompts have no cost in dollars; budgets of tokens, requests and minutes count them. */
      plan?: boolean | undefined
      /** System prompt for prompts without one. */
      system_prompt?: string | undefined
      /** The program to start: a name in `PATH`, or an absolute path. */
      command?: string | undefined
      /** Aliases for models. Entries are added to the built-in aliases, or replace one of the same name. */
      model_aliases?: Readonly<Record<string, string>> | undefined
    } | {
      /** How drover talks to the agent. */
      protocol: 'acp'
      /** The program and its arguments, such as `[opencode, acp]`. */
      command: readonly string[]
      /** Environment variables of the agent, in addition to those of drover. */
      env?: Readonly<Record<string, string>> | undefined
      /** Model for prompts that do not name one. Empty: the agent chooses. */
      model?: string | undefined
      /** What `drover backends add` has found out about the agent, and when. drover continues sessions only by the method in `resume`. */
      profile?: Readonly<Record<string, string>> | undefined
      /** `true` says that the agent, started like this, uses no settings of the project, such as hooks and MCP servers. Otherwise drover refuses prompts under a ceiling and in driven runs where it finds such settings. */
      ignores_project?: boolean | undefined
      /** Overrides `unified_flags.approval_mode` for this backend. Empty: no override. */
      approval_mode?: '' | 'default' | 'auto' | 'sandboxed' | 'none' | 'always' | undefined
      /** Overrides `unified_flags.sandbox_mode` for this backend. Empty: no override. */
      sandbox_mode?: '' | 'default' | 'read-only' | 'workspace' | 'full' | undefined
      /** Overrides `unified_flags.silence_secs` for this backend. 0: no limit. -1: no override. */
      silence_secs?: number | undefined
      /** `false` disables the backend: it is not listed, and prompts for it are refused. */
      enabled?: boolean | undefined
      /** `true` if a subscription pays for the agent, not its tokens. Then its prompts have no cost in dollars; budgets of tokens, requests and minutes count them. */
      plan?: boolean | undefined
      /** System prompt for prompts without one. */
      system_prompt?: string | undefined
    } | undefined
  } | undefined
  agents?: {
    /** Whether agents in driven runs use the settings of the project, such as hooks and MCP servers: `trusted` only those that you have trusted when `drover drive` asked, `never` none. Under a ceiling they are never used. */
    project_settings?: 'trusted' | 'never' | undefined
  } | undefined
  session?: {
    /** Days after its last use until a session is deleted. 0: never. */
    retention_days?: number | undefined
    /** Stores the total tokens of each session, and those of the usage. */
    store_token_usage?: boolean | undefined
    /** Tags for every new session. */
    default_tags?: readonly string[] | undefined
  } | undefined
  executions?: {
    /** What is stored of a prompt that is not ephemeral: `events` (everything the agent did), `results` or `none`. With `auto`, the server stores events, and the command line stores only results of comparisons in worktrees and what agents do in driven runs. The session keeps its first prompt in any case. */
    keep?: 'auto' | 'events' | 'results' | 'none' | undefined
    /** Days until an execution that has ended is removed. */
    keep_days?: number | undefined
    /** Maximum size of all executions in MB. Above it, the oldest ones of the API keys that use the most are removed. */
    max_mb?: number | string | undefined
  } | undefined
  output?: {
    /** Output format if none is requested. `default` means `json`. The command line uses `text` until this key is set. */
    format?: 'default' | 'text' | 'json' | 'stream-json' | undefined
    /** Adds the token usage to text output. */
    show_tokens?: boolean | undefined
    /** Adds the duration to text output. */
    show_timing?: boolean | undefined
    /** Colours on a terminal. The variable `NO_COLOR` turns them off too. */
    color?: boolean | undefined
  } | undefined
  parallel?: {
    /** Concurrent tasks of a parallel call that sets no number. */
    max_workers?: number | undefined
    /** Stops the other tasks if one fails (command line). */
    fail_fast?: boolean | undefined
    /** Shows the results as one table at the end instead of line by line (command line). */
    aggregate_output?: boolean | undefined
  } | undefined
  drive?: {
    /** Maximum actions per driven run. */
    actions?: number | undefined
    /** The tokens that a new run may use with all of its rounds, unless it names a limit itself (`--max-tokens`). 0: no limit. */
    max_tokens?: number | undefined
    /** What a new run may cost with all of its rounds, in US dollars, unless it names a limit itself (`--max-cost`). 0: no limit. Its agents must report what they cost, or have a price. */
    max_cost_usd?: number | undefined
    /** Commands that drover runs after each implementation, and that must pass. They run without a shell; use `sh -c '…'` if you need one. */
    checks?: readonly string[] | undefined
    /** Whether runs and comparisons of clients of the server always run all checks, and clients merge, check out and publish only what has passed them. */
    require_checks?: boolean | undefined
    /** Commands that prepare a new worktree, such as `npm ci`: once, before the first agent starts. Without a shell, like checks. */
    setup?: readonly string[] | undefined
    /** Files that git ignores, such as `.env.test`: copied from your worktree into a new one. */
    copy?: readonly string[] | undefined
    /** Directories that git ignores, such as `node_modules`. If your lock files match those of the new worktree, drover copies these directories from your worktree and skips the setup. */
    share?: readonly string[] | undefined
    /** Maximum run time of one setup command in seconds. */
    setup_timeout_secs?: number | undefined
    /** What setups installed is kept for the next worktree, up to this size in all. The least recently used is removed first. */
    template_max_bytes?: number | string | undefined
    /** Checks before the first agent: record a failure and continue (`note`; asks at a terminal), pause until they pass (`require`), or do not run them (`skip`). */
    baseline?: 'note' | 'skip' | 'require' | undefined
    /** Maximum run time of one check in seconds. */
    check_timeout_secs?: number | undefined
    /** How often the output of a failed check goes back to the agent. */
    attempts?: number | undefined
    /** Maximum follow-up runs to fix review findings and failed checks. */
    rounds?: number | undefined
    /** What the agent may do without approval while it implements a change: edit files and run the checks (`auto`), run any command in a sandbox (`sandboxed`), everything (`none`) or nothing (`always`). `default`: `sandboxed` where this machine has a sandbox, otherwise `auto`. In other actions, it may only read. */
    approval_mode?: 'default' | 'auto' | 'sandboxed' | 'none' | 'always' | undefined
    /** Whether driven runs and comparisons in worktrees run in a sandbox, with their agents, checks and setups: where this machine has one (`on`), never (`off`), or always, and nothing starts without it (`required`). */
    sandbox?: 'on' | 'off' | 'required' | undefined
    /** An agent that produces no text, tool result or file change for this long is stopped. */
    stall_secs?: number | undefined
    /** How the work is delivered: `none`, a commit on its `branch`, or that and a draft pull request (`pr`). */
    deliver?: 'none' | 'branch' | 'pr' | undefined
    /** Whether a run watches its pull request until it is merged or closed: failed checks and comments of reviewers become further rounds. Only with `deliver: pr`. */
    follow?: boolean | undefined
    /** Maximum rounds for one pull request after it was opened. */
    follow_rounds?: number | undefined
    /** How often a followed pull request is looked at, in seconds. */
    follow_poll_secs?: number | undefined
    /** The accounts whose comments on a followed pull request are requirements. Empty: every account with write permission in the repository. */
    reviewers?: readonly string[] | undefined
    /** Whether the draft of a followed pull request is marked as ready when its checks have passed and no reviewer requests changes. */
    ready?: boolean | undefined
    /** If something in the work is suspicious, such as a deleted test: deliver it and say so (`deliver`), or wait for you before the commit (`ask`). */
    on_flags?: 'deliver' | 'ask' | undefined
    /** If an agent reaches a limit of its provider: wait until it is reset (`wait`), continue with the next agent of `drive.fallback` (`next`), or pause (`pause`). `ask` asks at a terminal and waits elsewhere. Nothing waits for credit or a login. */
    on_limit?: 'ask' | 'wait' | 'next' | 'pause' | undefined
    /** A run waits for a limit at most this long, in seconds. Then it pauses. */
    max_wait_secs?: number | undefined
    /** Agents that continue the work, in this order, if the one before has reached a limit. */
    fallback?: readonly string[] | undefined
    /** Repositories in which clients of the server may start runs (`/api/v1/runs`) and compare agents in worktrees: the roots of their worktrees. You can drive in any of your repositories. */
    repositories?: readonly string[] | undefined
    /** Runs that a server drives at the same time for its clients. */
    max_runs?: number | undefined
    /** With PostgreSQL: when the machine of a run has had no worker for this many seconds, another one with the repository continues the run. 0: never, it waits for its machine. */
    move_after_secs?: number | undefined
    /** A queued run starts when your server drives fewer runs than this. Runs that wait for a limit do not count. `drover drive` queues runs if it gets several goals or issues. */
    parallel?: number | undefined
    /** What a server watches: labels of issues, and schedules. It queues a run for each issue with the label and for each time, as `drover watch` does. */
    watch?: readonly ({
      /** The clone in which the runs are started: an absolute path. */
      repository: string
      /** The repository of the issues. Default: the one that the remote `origin` names. */
      repo?: string | undefined
      /** The label of the issues. Default: `drover`. */
      label?: string | undefined
      /** Instead of issues: when to start a run, as a cron pattern of five fields. */
      schedule?: string | undefined
      /** The time zone of the schedule, such as `Europe/Berlin`. Default: that of the machine. */
      timezone?: string | undefined
      /** The file with the goal of the scheduled run: a path in the clone. Required with a schedule. */
      goal_file?: string | undefined
    })[] | undefined
    /** Seconds between two looks at the issues of a repository. After a failure it takes longer. */
    watch_secs?: number | undefined
    /** A comment on an issue that begins with `@` and this name starts a run for the issue, or continues it. */
    mention?: string | undefined
  } | undefined
  sandbox?: {
    /** Whether agents run in a sandbox. `on`: where this machine has one, and otherwise without one and with a warning. `required`: only in one. A request can turn `on` off, but not `required`. */
    mode?: 'off' | 'on' | 'required' | undefined
    /** Hosts that a sandboxed command may reach: `example.com`, `*.example.com`, an IP address or a CIDR range, each with an optional `:PORT` (default: 443 and 80), or a preset for package registries: `npm`, `pypi`, `crates`, `go`, `debian`. A name that resolves to a private address is refused unless the address is listed too. */
    hosts?: readonly string[] | undefined
    /** The same for checks and setups of driven runs and comparisons. */
    check_hosts?: readonly string[] | undefined
    /** Variables that a sandboxed command gets, besides `PATH`, `HOME`, `LANG` and others without secrets. A name may end with `*`. */
    env?: readonly string[] | undefined
    /** Paths that a sandboxed command may read, besides the system, toolchains and the repository. */
    read?: readonly string[] | undefined
    /** Paths that a sandboxed command may write, such as caches of package managers. */
    write?: readonly string[] | undefined
    /** Directories in the home directory in which checks and setups keep caches. They see a directory of drover there, one for each repository. Your own caches are neither read nor changed. */
    caches?: readonly string[] | undefined
    /** Processes and threads that a sandboxed command may have. Not enforced for root. */
    max_processes?: number | undefined
    /** Memory in MB that each process of a sandboxed command may use. 0: no limit. */
    max_memory_mb?: number | string | undefined
    /** Memory in MB that all processes of a sandboxed command may use together. 0: no limit. Needs a user session of systemd, which then limits the processes of root too. Without one, nothing starts in a sandbox. */
    max_total_memory_mb?: number | string | undefined
    /** Maximum size in MB of a file that a sandboxed command writes. */
    max_file_mb?: number | string | undefined
    /** MB that a sandboxed command, or a turn of an agent, may write to disks. drover looks twice a second, and ends it. 0: no limit. */
    max_disk_mb?: number | string | undefined
  } | undefined
  server?: {
    /** Address to listen on. `0.0.0.0` and `::` open the server to the network: set keys first. */
    host?: string | undefined
    /** Port to listen on. 0: any free port, which the startup message shows. */
    port?: number | undefined
    /** Listens on the Unix socket `server.sock` in the per-user directory too. Only the user of the server can open it, so requests on it need no API key. The prompts of the user's own commands go through it. */
    local_socket?: boolean | undefined
    /** Serves the web console at `/`. */
    console?: boolean | undefined
    /** Maximum run time of a request's agents in seconds, including streams. 0: no limit. */
    request_timeout_secs?: number | undefined
    /** Seconds within which an agent must begin its answer with a text, a thought or a tool call; otherwise it is stopped. Agents retry a busy model service for minutes. 0: no limit. */
    first_event_timeout_secs?: number | undefined
    /** Seconds within which a request must be received. 0: the default. */
    read_timeout_secs?: number | undefined
    /** Seconds that one write to a client may block. It does not limit a whole stream. 0: the default. */
    write_timeout_secs?: number | undefined
    /** Seconds until an idle connection is closed. 0: the default. */
    idle_timeout_secs?: number | undefined
    /** Maximum number of connections. At the limit, a new one takes the place of the one that was idle the longest; if all are in use, it gets 503. 0: half of the files that the process may open, at most 10000. */
    max_connections?: number | undefined
    /** The same for one client address, or for one /64 network of IPv6; if all are in use, a new one gets 429. It does not apply to `server.trusted_proxies`. 0: half of `server.max_connections`. */
    max_connections_per_address?: number | undefined
    /** Maximum number of requests of one API key that are being answered, streams included; further ones get 429. Without a key, the limit applies to the client address. 0: no limit. */
    max_open_requests_per_key?: number | undefined
    /** The gopass path of the API keys, a comma-separated list. Empty: gopass is not used. */
    api_keys_gopass_path?: string | undefined
    /** Limits the requests of each API key, or of each client address if there are no keys. */
    rate_limit_enabled?: boolean | undefined
    /** Sustained requests per second. */
    rate_limit_rps?: number | undefined
    /** Requests allowed in a burst. 0: twice `server.rate_limit_rps`. */
    rate_limit_burst?: number | undefined
    /** Seconds until the limiter forgets an inactive client. 0: the default. */
    rate_limit_cleanup_secs?: number | undefined
    /** Proxies whose `X-Forwarded-For` header is trusted. Empty: none. */
    trusted_proxies?: readonly string[] | undefined
    /** Maximum size of a request body in bytes; a larger one gets 413. 0: no limit. */
    max_request_body_bytes?: number | string | undefined
    /** Origins of web pages of other servers that may call this one from a browser. The pages of this server need no entry. Empty: none. */
    cors_allowed_origins?: readonly string[] | undefined
    /** Allows those pages to send cookies and other browser credentials. */
    cors_allow_credentials?: boolean | undefined
    /** Seconds that a browser may cache a preflight response. 0: no caching. */
    cors_max_age?: number | undefined
    /** Directories in which agents may work, including everything below. Empty: all that are not blocked. */
    allowed_workdir_prefixes?: readonly string[] | undefined
    /** Directories in which no agent may work, including everything below. Entries are added to the built-in list. */
    blocked_workdir_prefixes?: readonly string[] | undefined
    /** Serves `/metrics` for Prometheus. */
    metrics_enabled?: boolean | undefined
    /** Serves `/metrics` without an API key. */
    metrics_public?: boolean | undefined
    /** The base URL of the `type` of a problem document. */
    errors_base?: string | undefined
    /** Sends errors of the compatible APIs exactly as the vendor does, without problem details. For clients that understand no other format. */
    vendor_errors?: boolean | undefined
    /** Refuses message requests without an `anthropic-version` header. */
    require_api_version?: boolean | undefined
    /** Which backend answers on the compatible APIs for a model name without `claude`, `gpt` and `gemini` in it. The first rule that matches decides. The list replaces the default. */
    model_rules?: readonly string[] | undefined
    /** What the compatible APIs do with a model name that is no backend and matches no rule. `answer`: the first backend answers with its own model, and `X-Drover-Warning` says so. `refuse`: the request gets 404 (`model_not_found`). */
    unknown_models?: 'answer' | 'refuse' | undefined
    /** Which backend gets a prompt of a client if the agent fails with a limit, an outage or a missing login before it begins its answer. The name before `=` is a model, an alias or a backend; every rule that matches adds an agent. */
    fallback_rules?: readonly string[] | undefined
    /** Whether the compatible APIs fetch images that a request names by an `http` or `https` address. Private, loopback and link-local addresses are refused. */
    fetch_images?: boolean | undefined
    /** Private addresses or ranges that images may be fetched from all the same, such as `10.1.2.0/24`. */
    fetch_private_hosts?: readonly string[] | undefined
    /** What happens on the compatible APIs to tools that a client offers. `bridge`: the agent may call them, and the client runs them. `refuse`: the request gets 400. `ignore`: they are left out, and named in `X-Drover-Warning`. */
    client_tools?: 'bridge' | 'refuse' | 'ignore' | undefined
    /** Seconds that an agent waits for the results of tools that its client runs. Then its turn ends; a later request with the results repeats the conversation in a new session. */
    tool_wait_secs?: number | undefined
    /** Maximum number of agents that wait for such results. They stay in memory, but do not count as running. One more stops the oldest turn of the key that has most of them. */
    max_waiting_turns?: number | undefined
    /** Maximum number of agents that run at the same time; further prompts are queued. */
    max_concurrent_runs?: number | undefined
    /** Maximum number of queued prompts; further requests get 503, except of a key that has less than an equal share of the queue. 0: no queue. */
    max_queued_runs?: number | undefined
    /** Seconds that an MCP tool waits for its work to finish before it returns a handle. Use less than the time limit of the clients, which is often 60 seconds. 0: answer immediately. */
    mcp_wait_secs?: number | undefined
    /** How deep agents may call drover: 1 lets the agent of a prompt call drover again, but not the agents that this starts. 0: no agent may. It applies to the command line too. */
    max_nesting?: number | undefined
    /** Allows any argument in `extra` of a request, even one that disables approval or sandbox. */
    allow_unsafe_extra?: boolean | undefined
    /** The most that a request may let an agent do without approval: nothing (`always`), edit files (`auto`) or everything (`none`). A request above it is refused, a configured mode above it is lowered. Empty: no limit. */
    max_approval_mode?: '' | 'always' | 'auto' | 'none' | undefined
    /** The highest sandbox mode for requests: `read-only`, then `workspace`, then `full`. Empty: no limit, but `read-only` on a network address without keys. */
    max_sandbox_mode?: '' | 'read-only' | 'workspace' | 'full' | undefined
    /** The address at which people reach the console of this server: for links to runs in comments on issues. Empty: comments name only the id of the run. */
    public_url?: string | undefined
    /** The file with the secret of a GitHub webhook, in one line of at least 16 characters. It turns `/hooks/github` on. Empty: it is off. */
    webhook_secret_file?: string | undefined
    /** Digests of API keys, each with a name and optionally its own role, rate limit and highest modes. */
    keys?: readonly ({
      /** The name of the key in logs. */
      name: string
      /** What belongs to the key is stored under this id. It stays the same if the name or the digest changes. Default: made from the digest. */
      id?: string | undefined
      /** The SHA-256 digest of the key in hexadecimal, with or without `sha256:` in front. */
      sha256: string
      /** `client`: the key sees its own sessions, executions and runs. `operator`: it sees those of every key. `admin`: it also creates and revokes keys, and sees the settings. Default: `client`. */
      role?: 'client' | 'operator' | 'admin' | undefined
      /** Overrides `server.rate_limit_rps` for this key. */
      rate_limit_rps?: number | undefined
      /** Overrides `server.rate_limit_burst` for this key. */
      rate_limit_burst?: number | undefined
      /** Overrides `server.max_approval_mode` for this key. */
      max_approval_mode?: 'always' | 'auto' | 'none' | undefined
      /** Overrides `server.max_sandbox_mode` for this key. */
      max_sandbox_mode?: 'read-only' | 'workspace' | 'full' | undefined
      /** Overrides `server.fallback_rules` for this key: the agents, in this order. Empty: none. */
      fallback?: readonly string[] | undefined
      /** How much the key may use, such as `20usd/day`. All of them apply. */
      budgets?: readonly string[] | undefined
      /** From then on the key is refused. Default: never. */
      expires_at?: string | undefined
      /** The key may merge the work of its runs into branches of the repository, and check their branches out there. Default: it may not. */
      may_merge?: boolean | undefined
      /** `none`: the agents of this key have no tools but those of its clients. Default: what a request asks for. */
      agent_tools?: 'all' | 'none' | undefined
      /** Which of `mcp_servers` the agents of this key may use. Empty: none. Default: all, or none if its modes are limited. */
      mcp_servers?: readonly string[] | undefined
      /** The directories that prompts and runs of this key may work in, with everything beneath them. `server.allowed_workdir_prefixes` and `server.blocked_workdir_prefixes` apply too. Default: all that these two allow. */
      directories?: readonly string[] | undefined
      /** The agents that the key may use, also as fallbacks and in its runs. Default: all. */
      backends?: readonly string[] | undefined
      /** Every agent of this key runs in a sandbox, as with `sandbox.mode: required`. */
      requires_sandbox?: boolean | undefined
    })[] | undefined
  } | undefined
  warm?: {
    /** Whether the server keeps agents running between prompts, so that a prompt does not wait until its agent has started. */
    enabled?: boolean | undefined
    /** Maximum agents that are kept running. The least recently used one is stopped first. */
    max_processes?: number | undefined
    /** Seconds without a prompt until an agent is stopped. */
    idle_secs?: number | undefined
    /** Prompts that an agent answers before it is stopped. */
    max_turns?: number | undefined
    /** Seconds after its start until an agent is stopped. */
    max_age_secs?: number | undefined
    /** Memory in MB, of the agent and its programs. Above it, the agent is stopped after its prompt. */
    max_rss_mb?: number | string | undefined
    /** Idle agents to keep ready for the next prompt of the same kind. 0: none. */
    spares?: number | undefined
    /** Prompts of the same kind within ten minutes after which such an agent is started. */
    spare_after?: number | undefined
    /** Seconds without a prompt until the server that `drover up` started stops. */
    background_idle_secs?: number | undefined
    /** Seconds until an unanswered request for approval is denied (`approval_mode: always`). */
    approval_timeout_secs?: number | undefined
  } | undefined
  store?: {
    /** Where sessions and executions are stored. `sqlite:` is a file of this user. With PostgreSQL, servers and workers on many machines share them. */
    url?: string | undefined
    /** The schema of a PostgreSQL database that has the tables. */
    schema?: string | undefined
    /** Whether `drover serve` migrates a PostgreSQL store when it starts. Otherwise only `drover store migrate` does. The SQLite file is always migrated. */
    migrate?: boolean | undefined
    /** The name of this machine in a PostgreSQL store. Empty: its host name. */
    machine?: string | undefined
    /** Seconds without a sign of life until others take over from a process that uses PostgreSQL. Use the same value on all machines. A process that gets no answer from PostgreSQL for this long stops its agents. */
    dead_after_secs?: number | undefined
    /** Seconds that PostgreSQL may take for one statement. A request that needs longer gets 503, and a connection that is silent for longer is closed. */
    statement_timeout_secs?: number | undefined
  } | undefined
  work?: {
    /** Directories in which this machine works on prompts from other machines. Empty: every directory that it has. */
    repositories?: readonly string[] | undefined
    /** What this machine is or has, such as `gpu`. A prompt that requires a label runs only where it is listed. */
    labels?: readonly string[] | undefined
    /** The label that prompts and runs in a directory require, as `DIRECTORY=LABEL`. Set it on servers; a label in a request comes first. */
    required_labels?: readonly string[] | undefined
    /** Seconds that `drover work` waits for running prompts after SIGTERM. Then it stops their agents. */
    drain_secs?: number | undefined
    /** Maximum prompts of one API key that run at the same time, on all machines together. 0: no limit. */
    max_per_key?: number | undefined
    /** Maximum prompts on one backend that run at the same time, on all machines together. 0: no limit. */
    max_per_backend?: number | undefined
  } | undefined
  telemetry?: {
    /** Where traces and metrics go: the address of an OpenTelemetry collector, such as `http://127.0.0.1:4318`. Empty: as `OTEL_EXPORTER_OTLP_ENDPOINT` says; without it, nothing is sent. */
    otlp_endpoint?: string | undefined
    /** Adds prompts, answers, and the input and output of tools to the traces. They may hold secrets. */
    contents?: boolean | undefined
  } | undefined
  notify?: {
    /** Who is notified when a run or an agent needs you, and when a run has ended. */
    targets?: readonly ({
      /** The name of the target in logs and commands. */
      name: string
      /** A signed `webhook`, an incoming webhook of `slack`, a topic of `ntfy`, a notification on the `desktop`, a `command`, or the `browsers` that have asked for it in the console. */
      type: 'webhook' | 'slack' | 'ntfy' | 'desktop' | 'command' | 'browsers'
      /** The address of a webhook, of Slack or of ntfy. */
      url?: string | undefined
      /** A file with the address, instead of `url`. */
      url_file?: string | undefined
      /** A file with the secret that signs a webhook. Required for a webhook. */
      secret_file?: string | undefined
      /** The program of a command and its arguments. It gets the event as JSON on its standard input. */
      command?: readonly string[] | undefined
      /** Which events. Default: all. */
      events?: readonly ('question' | 'approval' | 'delivered' | 'failed' | 'limit' | 'budget')[] | undefined
      /** Only runs in these repositories. Default: all. */
      repositories?: readonly string[] | undefined
      /** Only runs that `drover watch` has started for an issue with one of these labels. Default: all. */
      labels?: readonly string[] | undefined
    })[] | undefined
    /** The push services of browsers. `*.` stands for every name below. The address of a browser comes from a client, so no other host gets requests. */
    push_hosts?: readonly string[] | undefined
  } | undefined
}
