/**
 * The configuration: every key with its default and meaning, written once. Besides the words of JSON Schema a key may
 * carry these:
 * - `x-env`: further names of its environment variable, or `false` where a variable could not hold it;
 * - `x-rule`: what is allowed, where a function of rules.ts says it and the schema cannot;
 * - `x-united`: entries add to the default instead of replacing it;
 * - `x-secret`: a field of an entry that is masked when it is shown.
 */
import { type TObject, type TSchema, Type } from 'typebox'
import { literals, named, type Static, strict, textLike } from '../kit/shape.ts'
import { APPROVAL_MODES, BACKENDS, backendSection, SANDBOX_MODES } from './backend.shape.ts'
import { LONGEST_WAIT_SECS, ServerSection } from './server.shape.ts'

const FlagsSection = strict({
  approval_mode: literals(APPROVAL_MODES, {
    default: 'default',
    description:
      'What agents do without asking: `auto` edits files, `none` everything, `always` nothing (what they would ask about is denied). `default`: as the agent itself has it.',
  }),
  sandbox_mode: literals(SANDBOX_MODES, {
    default: 'default',
    description:
      'What agents can reach: `read-only`, `workspace` (the working directory) or `full`. `default`: as the agent itself has it, Codex read-only.',
  }),
  verbose: Type.Boolean({ default: false, description: 'Asks agents for more output. A prompt cannot turn it off.' }),
  dry_run: Type.Boolean({
    default: false,
    description: 'Shows what would be started instead of starting it. A prompt cannot turn it off.',
  }),
  max_turns: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 10_000,
    description: 'Turns an agent may take, where it knows such a limit. 0: no limit.',
  }),
  max_tokens: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 1_000_000_000,
    description: 'Accepted and passed to no agent: none has such a flag.',
  }),
  command_timeout_secs: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: LONGEST_WAIT_SECS,
    description: 'Seconds one agent may run. 0: no limit.',
    'x-env': ['DROVER_TIMEOUT'],
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
    description: 'Days after its last use when a session is deleted. 0: sessions are kept for ever.',
  }),
  store_token_usage: Type.Boolean({ default: true, description: 'Adds up the tokens of each session.' }),
  default_tags: Type.Array(tag, { default: [], description: 'Tags of every new session.' }),
})

const OutputSection = strict({
  format: literals(['default', 'text', 'json', 'stream-json'], {
    default: 'json',
    description:
      'Format of results that ask for none. `default`: `json`. On the command line `text` until this is set.',
  }),
  show_tokens: Type.Boolean({ default: false, description: 'Adds the tokens used to text output.' }),
  show_timing: Type.Boolean({ default: false, description: 'Adds the time taken to text output.' }),
  color: Type.Boolean({
    default: true,
    description: 'Colours on a terminal. The variable `NO_COLOR` turns them off too.',
  }),
})

const ParallelSection = strict({
  max_workers: Type.Integer({
    default: 3,
    minimum: 1,
    maximum: 1024,
    description: 'Tasks that run at once when a parallel call names no number.',
  }),
  fail_fast: Type.Boolean({ default: false, description: 'Ends the other tasks when one fails (command line).' }),
  aggregate_output: Type.Boolean({
    default: true,
    description: 'Shows the results as one table at the end instead of line by line (command line).',
  }),
})

export const ConfigShape = strict({
  default_backend: literals(BACKENDS, {
    default: 'claude',
    description: 'Backend for prompts that name none.',
    'x-env': ['DROVER_BACKEND'],
  }),
  unified_flags: FlagsSection,
  backends: BackendsSection,
  session: SessionSection,
  output: OutputSection,
  parallel: ParallelSection,
  server: ServerSection,
})

/** The configuration as the program sees it: complete, and frozen. */
export type Config = DeepReadonly<Static<typeof ConfigShape>>

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T

/** The shape of the file: every key and every section may be left out. */
export const ConfigFile = withAllOptional(ConfigShape)

/** Sections are named, so that the validator has one small function for each and compiles only those it meets. */
function withAllOptional(section: TObject): TSchema {
  const parts = Object.entries(section.properties).map(([name, part]) => [
    name,
    Type.Optional(isSection(part) ? named(name, withAllOptional(part)) : part),
  ])
  return strict(Object.fromEntries(parts))
}

function isSection(part: TSchema): part is TObject {
  return 'properties' in part
}
