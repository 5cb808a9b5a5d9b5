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
  /** How long the agent ran. */
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
  /** Only on failure: the HTTP status of the model service, if the agent reports it. */
  upstream_status?: number | undefined
  /** Only on failure: how long the model service wants the caller to wait, if the agent reports it. */
  retry_after_secs?: number | undefined
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
  /** How long the agent ran. */
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
  /** Only on failure: the HTTP status of the model service, if the agent reports it. */
  upstream_status?: number | undefined
  /** Only on failure: how long the model service wants the caller to wait, if the agent reports it. */
  retry_after_secs?: number | undefined
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
  /** How long the agent ran. */
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
  /** Only on failure: the HTTP status of the model service, if the agent reports it. */
  upstream_status?: number | undefined
  /** Only on failure: how long the model service wants the caller to wait, if the agent reports it. */
  retry_after_secs?: number | undefined
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
  /** Why, in one line. */
  reason: string
  /** The one command that comes next. */
  next: string
  /** What a person should look at before using the work, serious flags first. */
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
