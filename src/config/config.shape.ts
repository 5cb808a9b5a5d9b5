/**
 * Every configuration key with its default and description. Besides the keywords of JSON Schema a key may have:
 * - `x-env`: further names of its environment variable, or `false` if a variable cannot hold it;
 * - `x-rule`: the allowed values, if setting-rules.ts checks them instead of the schema;
 * - `x-united`: entries add to the default instead of replacing it;
 * - `x-unit`: a size, which may be written as `2M`: what its number counts;
 * - `x-applies`: `at_once` in a running server, or only on the `command_line`. Other keys need a restart of the server;
 * - `x-secret`: a field of an entry, the values of a map, or the password of an address, which is masked in output.
 */
import { type TObject, type TSchema, Type } from 'typebox'
import { LABEL_PATTERN, LABEL_RULE } from '../kit/label.ts'
import { literals, named, namedStrict, type Static, strict, textLike } from '../kit/shape.ts'
import {
  AcpSection,
  APPROVAL_MODES,
  BACKEND_NAME,
  backendSection,
  budgetLimit,
  LONGEST_WAIT_SECS,
  SANDBOX_MODES,
} from './backend.shape.ts'
import { DriveSection } from './drive-settings.shape.ts'
import { mcpServers } from './mcp-servers.shape.ts'
import { NotifySection } from './notify-settings.shape.ts'
import { SandboxSection } from './sandbox-settings.shape.ts'
import { ServerSection } from './server-settings.shape.ts'
import { StoreSection } from './store-settings.shape.ts'

const FlagsSection = strict({
  approval_mode: literals(APPROVAL_MODES, {
    default: 'default',
    description:
      "What agents may do without approval: edit files (`auto`), everything in a sandbox (`sandboxed`), everything (`none`), nothing (`always`), or what the agent's own settings allow (`default`). What needs approval is denied unless someone approves it.",
  }),
  sandbox_mode: literals(SANDBOX_MODES, {
    default: 'default',
    description:
      'What agents may access: `read-only`, `workspace` (the working directory) or `full`. `default`: the setting of the agent itself; for Codex `read-only`.',
  }),
  verbose: Type.Boolean({
    default: false,
    description: 'Requests more output from agents. A prompt cannot turn it off.',
  }),
  dry_run: Type.Boolean({
    default: false,
    description: 'Shows the command instead of starting the agent. A prompt cannot turn it off.',
  }),
  max_turns: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 10_000,
    description: 'Maximum turns of an agent, if it supports such a limit. 0: no limit.',
  }),
  max_tokens: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 1_000_000_000,
    description: 'Accepted but not used: no agent has such a flag.',
  }),
  command_timeout_secs: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: LONGEST_WAIT_SECS,
    description: 'Maximum run time of one agent in seconds. 0: no limit.',
    'x-env': ['DROVER_TIMEOUT'],
  }),
  silence_secs: Type.Integer({
    default: -1,
    minimum: -1,
    maximum: LONGEST_WAIT_SECS,
    description:
      'Seconds that an agent may print nothing before it is stopped. Running tools and questions do not count. 0: no limit. -1: the default of the agent, which is 120 unless `docs/agents.md` says otherwise.',
    'x-env': ['DROVER_SILENCE'],
  }),
})

const BackendsSection = strict({
  claude: backendSection('claude'),
  codex: backendSection('codex'),
  gemini: backendSection('gemini'),
})

const tag = textLike('^[a-z0-9_-]{1,32}$', 'a tag of 1 to 32 lowercase letters, digits, underscores or hyphens')

const SessionSection = strict({
  retention_days: Type.Integer({
    default: 30,
    minimum: 0,
    maximum: 36_500,
    description: 'Days after its last use until a session is deleted. 0: never.',
  }),
  store_token_usage: Type.Boolean({
    default: true,
    description: 'Stores the total tokens of each session, and those of the usage.',
  }),
  default_tags: Type.Array(tag, { default: [], description: 'Tags for every new session.' }),
})

const ExecutionsSection = strict({
  keep: literals(['auto', 'events', 'results', 'none'], {
    default: 'auto',
    description:
      'What is stored of a prompt that is not ephemeral: `events` (everything the agent did), `results` or `none`. With `auto`, the server stores events, and the command line stores only results of comparisons in worktrees and what agents do in driven runs. The session keeps its first prompt in any case.',
  }),
  keep_days: Type.Integer({
    default: 7,
    minimum: 1,
    maximum: 36_500,
    description: 'Days until an execution that has ended is removed.',
  }),
  max_mb: Type.Integer({
    default: 512,
    minimum: 1,
    maximum: 1_000_000,
    'x-unit': 'megabytes',
    description:
      'Maximum size of all executions in MB. Above it, the oldest ones of the API keys that use the most are removed.',
  }),
})

const WorkSection = strict({
  repositories: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description:
      'Directories in which this machine works on prompts from other machines. Empty: every directory that it has.',
    'x-rule': 'absolute paths',
  }),
  labels: Type.Array(textLike(LABEL_PATTERN, LABEL_RULE), {
    default: [],
    description:
      'What this machine is or has, such as `gpu`. A prompt that requires a label runs only where it is listed.',
  }),
  required_labels: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description:
      'The label that prompts and runs in a directory require, as `DIRECTORY=LABEL`. Set it on servers; a label in a request comes first.',
    'x-rule': 'an absolute path, `=` and a label',
  }),
  drain_secs: Type.Integer({
    default: 30,
    minimum: 0,
    maximum: 86_400,
    description: 'Seconds that `drover work` waits for running prompts after SIGTERM. Then it stops their agents.',
  }),
  max_per_key: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 100_000,
    description: 'Maximum prompts of one API key that run at the same time, on all machines together. 0: no limit.',
  }),
  max_per_backend: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 100_000,
    description: 'Maximum prompts on one backend that run at the same time, on all machines together. 0: no limit.',
  }),
})

const TelemetrySection = strict({
  otlp_endpoint: Type.String({
    default: '',
    description:
      'Where traces and metrics go: the address of an OpenTelemetry collector, such as `http://127.0.0.1:4318`. Empty: as `OTEL_EXPORTER_OTLP_ENDPOINT` says; without it, nothing is sent.',
    'x-rule': 'an address with http or https',
    'x-secret': true,
  }),
  contents: Type.Boolean({
    default: false,
    description: 'Adds prompts, answers, and the input and output of tools to the traces. They may hold secrets.',
  }),
})

const OutputSection = strict({
  format: literals(['default', 'text', 'json', 'stream-json'], {
    default: 'json',
    description:
      'Output format if none is requested. `default` means `json`. The command line uses `text` until this key is set.',
  }),
  show_tokens: Type.Boolean({
    default: false,
    description: 'Adds the token usage to text output.',
    'x-applies': 'command_line',
  }),
  show_timing: Type.Boolean({
    default: false,
    description: 'Adds the duration to text output.',
    'x-applies': 'command_line',
  }),
  color: Type.Boolean({
    default: true,
    description: 'Colours on a terminal. The variable `NO_COLOR` turns them off too.',
    'x-applies': 'command_line',
  }),
})

const ParallelSection = strict({
  max_workers: Type.Integer({
    default: 3,
    minimum: 1,
    maximum: 1024,
    description: 'Concurrent tasks of a parallel call that sets no number.',
  }),
  fail_fast: Type.Boolean({
    default: false,
    description: 'Stops the other tasks if one fails (command line).',
    'x-applies': 'command_line',
  }),
  aggregate_output: Type.Boolean({
    default: true,
    description: 'Shows the results as one table at the end instead of line by line (command line).',
    'x-applies': 'command_line',
  }),
})

const WarmSection = strict({
  enabled: Type.Boolean({
    default: true,
    description:
      'Whether the server keeps agents running between prompts, so that a prompt does not wait until its agent has started.',
  }),
  max_processes: Type.Integer({
    default: 4,
    minimum: 1,
    maximum: 64,
    description: 'Maximum agents that are kept running. The least recently used one is stopped first.',
  }),
  idle_secs: Type.Integer({
    default: 300,
    minimum: 1,
    maximum: 86_400,
    description: 'Seconds without a prompt until an agent is stopped.',
  }),
  max_turns: Type.Integer({
    default: 50,
    minimum: 1,
    maximum: 10_000,
    description: 'Prompts that an agent answers before it is stopped.',
  }),
  max_age_secs: Type.Integer({
    default: 3600,
    minimum: 1,
    maximum: 604_800,
    description: 'Seconds after its start until an agent is stopped.',
  }),
  max_rss_mb: Type.Integer({
    default: 1500,
    minimum: 64,
    maximum: 1_000_000,
    'x-unit': 'megabytes',
    description: 'Memory in MB, of the agent and its programs. Above it, the agent is stopped after its prompt.',
  }),
  spares: Type.Integer({
    default: 1,
    minimum: 0,
    maximum: 16,
    description: 'Idle agents to keep ready for the next prompt of the same kind. 0: none.',
  }),
  spare_after: Type.Integer({
    default: 2,
    minimum: 1,
    maximum: 100,
    description: 'Prompts of the same kind within ten minutes after which such an agent is started.',
  }),
  background_idle_secs: Type.Integer({
    default: 1800,
    minimum: 1,
    maximum: 604_800,
    description: 'Seconds without a prompt until the server that `drover up` started stops.',
  }),
  approval_timeout_secs: Type.Integer({
    default: 300,
    minimum: 1,
    maximum: 86_400,
    description: 'Seconds until an unanswered request for approval is denied (`approval_mode: always`).',
  }),
})

const AgentsSection = strict({
  project_settings: literals(['trusted', 'never'], {
    default: 'trusted',
    description:
      'Whether agents in driven runs use the settings of the project, such as hooks and MCP servers: `trusted` only those that you have trusted when `drover drive` asked, `never` none. Under a ceiling they are never used.',
  }),
})

const dollars = (description: string) => Type.Number({ minimum: 0, maximum: 1_000_000, description })

const ModelPrice = strict({
  model: textLike('^[^\\s=,]+$', 'the name of a model, in which * stands for any text', {
    description: 'The model as the agent names it; `*` stands for any text.',
  }),
  input: dollars('Dollars per million tokens of input.'),
  cached_input: Type.Optional(dollars('The same for input that comes from a cache. Default: as other input.')),
  cache_write: Type.Optional(dollars('The same for input that is written to a cache. Default: as other input.')),
  output: dollars('Dollars per million tokens of output, thinking included.'),
})

const BudgetEntry = strict({
  limit: budgetLimit,
  key: Type.Optional(
    Type.String({ minLength: 1, description: 'The name of an API key. `*`: each key has such a budget.' }),
  ),
  repository: Type.Optional(
    Type.String({ minLength: 1, description: 'A directory: prompts and driven runs in it, and below it.' }),
  ),
  label: Type.Optional(
    Type.String({ minLength: 1, description: 'A label of issues: the runs that watchers start for them.' }),
  ),
})

export const ConfigShape = strict({
  default_backend: textLike(BACKEND_NAME, 'the name of a backend', {
    default: 'claude',
    description: 'Backend for prompts that do not name one.',
    'x-env': ['DROVER_BACKEND'],
    'x-rule': '`claude`, `codex`, `gemini` or a backend of the file',
  }),
  budgets: Type.Array(BudgetEntry, {
    default: [],
    description:
      'How much may be used, for a key, a repository, a label of watched issues, or everything together. Before an agent starts, what it may need is reserved.',
    'x-rule': 'one of key, repository and label; an absolute path',
    'x-applies': 'at_once',
  }),
  prices: Type.Array(ModelPrice, {
    default: [],
    description:
      'Prices of models, for agents that report tokens but no cost. The first entry that matches decides; then the built-in list prices.',
  }),
  mcp_servers: mcpServers,
  unified_flags: FlagsSection,
  backends: BackendsSection,
  agents: AgentsSection,
  session: SessionSection,
  executions: ExecutionsSection,
  output: OutputSection,
  parallel: ParallelSection,
  drive: DriveSection,
  sandbox: SandboxSection,
  server: ServerSection,
  warm: WarmSection,
  store: StoreSection,
  work: WorkSection,
  telemetry: TelemetrySection,
  notify: NotifySection,
})

/** An agent that speaks ACP, with the settings that only native agents have left empty. */
type AcpBackend = Static<typeof AcpSection> &
  Pick<Static<typeof BackendsSection>['claude'], 'allowed_tools' | 'extra_flags' | 'model_aliases'>

type Merged = Static<typeof ConfigShape>

/** The merged configuration: complete and frozen. */
export type Config = DeepReadonly<
  Omit<Merged, 'backends'> & { backends: Merged['backends'] & { [name: string]: NativeSection | AcpBackend } }
>

type NativeSection = Merged['backends'][keyof Merged['backends']]

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T

/** A section of the file that defines a backend. */
const AcpFile = namedStrict(
  'acp_backend',
  Object.fromEntries(
    Object.entries(AcpSection.properties).map(([name, part]) => [
      name,
      name === 'protocol' || name === 'command' ? part : Type.Optional(part),
    ]),
  ),
)

/** The shape of the file: every key and every section is optional. `backends` may have more sections. */
export const ConfigFile = withAllOptional(ConfigShape)

/** Sections are named so that the validator has one small function for each and compiles only those in use. */
function withAllOptional(section: TObject, sectionName = ''): TSchema {
  const parts = Object.entries(section.properties).map(([name, part]) => [
    name,
    Type.Optional(isSection(part) ? named(name, withAllOptional(part, name)) : part),
  ])
  const properties = Object.fromEntries(parts)
  if (sectionName !== 'backends') return strict(properties)
  return Type.Object(properties, { additionalProperties: AcpFile, propertyNames: { pattern: BACKEND_NAME } })
}

function isSection(part: TSchema): part is TObject {
  return 'properties' in part
}
