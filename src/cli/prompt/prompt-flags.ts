/** Reads the flags that the prompt commands share. */

import { statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { ApprovalMode, SandboxMode } from '../../agents/adapter/agent.ts'
import { outputSchemaInvalid } from '../../agents/faults.ts'
import type { Config } from '../../config/config.shape.ts'
import type { LoadedConfig } from '../../config/read-config.ts'
import { readFileBytes } from '../../kit/files/read-file.ts'
import { readJson } from '../../kit/json/read-json.ts'
import { isArray, withoutUndefined } from '../../kit/json-value.ts'
import { ATTACHMENT_LIMITS } from '../../prompts/attachments.ts'
import type { PromptBody } from '../../prompts/prompt-request.shape.ts'
import type { Flags, Invocation } from '../command.ts'
import { flagsConflict, flagValueInvalid, workdirMissing } from '../faults.ts'

export type OutputFormat = 'text' | 'json' | 'stream-json' | 'raw'

/** White space may make a file longer than the schema in it. */
const SCHEMA_FILE_LIMIT_BYTES = 1024 * 1024

/** The default of output.format is for programs, so it only applies if the user has set it. */
export function readOutputFormat(
  { flags }: Invocation,
  { config, origins }: Pick<LoadedConfig, 'config' | 'origins'>,
): OutputFormat {
  if (flags.isOn('raw')) return 'raw'
  const isSet = origins['output.format'].from !== 'default'
  const asked = flags.text('output-format') ?? (isSet ? config.output.format : 'text')
  return asked === 'json' || asked === 'stream-json' ? asked : 'text'
}

/** Whether the agent should send partial text. */
export function wantsDeltas({ runtime }: Invocation, format: OutputFormat): boolean {
  return format === 'stream-json' || (format === 'text' && runtime.terminal.out.isTty)
}

/** The request that the flags describe, without its backend and prompt. */
export function requestFromFlags({ flags, runtime }: Invocation): Omit<PromptBody, 'backend' | 'prompt'> {
  const fallback = flags.text('fallback')
  const asked = {
    model: flags.text('model'),
    fallback: fallback === undefined ? undefined : readFallback(fallback),
    workdir: resolveGivenWorkdir(runtime.cwd, flags.text('workdir')),
    additional_directories: addedDirectories(runtime.cwd, flags.texts('add-dir')),
    approval_mode: flags.text('approval') as ApprovalMode | undefined,
    sandbox_mode: flags.text('access') as SandboxMode | undefined,
    sandbox: readSandbox(flags),
    agent_tools: flags.isOn('no-tools') ? ('none' as const) : undefined,
    mcp_servers: readServers(flags),
    max_turns: flags.integer('max-turns') || undefined,
    system_prompt: flags.text('system'),
    output_schema: schemaIn(runtime.cwd, flags.text('schema')),
    attachments: attachmentsIn(runtime.cwd, flags.texts('image')),
    verbose: flags.isOn('verbose') || undefined,
    extra: flags.texts('extra').length === 0 ? undefined : [...flags.texts('extra')],
    timeout_secs: flags.integer('timeout'),
    ephemeral: flags.isOn('ephemeral') || undefined,
    dry_run: flags.isOn('dry-run') || undefined,
  }
  return withoutUndefined(asked)
}

/** Reads `--mcp-server`. Undefined: those of the settings. */
export function readServers(flags: Flags): string[] | undefined {
  const names = flags.texts('mcp-server')
  return names.length === 0 ? undefined : names.filter((name) => name !== 'none')
}

/** Who asks for a sandbox gets nothing without one. */
export function readSandbox(flags: Flags): 'required' | 'off' | undefined {
  if (!flags.isOn('sandbox')) return flags.isOn('no-sandbox') ? 'off' : undefined
  if (flags.isOn('no-sandbox')) throw flagsConflict({ flags: ['--sandbox', '--no-sandbox'], instead: 'choose one' })
  return 'required'
}

function resolveGivenWorkdir(cwd: string, given: string | undefined): string | undefined {
  return given === undefined ? undefined : resolveDirectory(cwd, given, { isAdded: false })
}

function addedDirectories(cwd: string, given: readonly string[]): string[] | undefined {
  return given.length === 0 ? undefined : given.map((each) => resolveDirectory(cwd, each, { isAdded: true }))
}

function resolveDirectory(cwd: string, given: string, { isAdded }: { isAdded: boolean }): string {
  const workdir = resolve(cwd, given)
  if (statSync(workdir, { throwIfNoEntry: false })?.isDirectory() !== true) throw workdirMissing({ workdir, isAdded })
  return workdir
}

/** The prompt is checked later; a file that is too large is not read. */
function attachmentsIn(cwd: string, files: readonly string[]): PromptBody['attachments'] {
  if (files.length === 0) return undefined
  return files.map((file) => {
    const limitBytes = ATTACHMENT_LIMITS.bytesEach
    const bytes = readFileBytes({ path: resolve(cwd, file), limitBytes, links: 'follow' })
    return { data: bytes.toString('base64'), name: basename(file) }
  })
}

function schemaIn(cwd: string, file: string | undefined): PromptBody['output_schema'] {
  if (file === undefined) return undefined
  const bytes = readFileBytes({ path: resolve(cwd, file), limitBytes: SCHEMA_FILE_LIMIT_BYTES, links: 'follow' })
  const schema = readJson(bytes, { input: file, limitBytes: SCHEMA_FILE_LIMIT_BYTES, numbers: 'any' })
  if (typeof schema !== 'object' || schema === null || isArray(schema)) {
    throw outputSchemaInvalid({ problem: `${file} must contain a JSON object` })
  }
  return schema
}

/** How the answer is printed, and which costs after it. */
export function textOptions({ flags, runtime }: Invocation, { output }: Config) {
  return {
    rendersMarkdown: runtime.terminal.out.hasStyle && !flags.isOn('no-markdown'),
    wrapsWords: runtime.terminal.out.isTty && !flags.isOn('no-markdown'),
    showTokens: output.show_tokens || flags.isOn('usage'),
    showTiming: output.show_timing,
  }
}

/** Flags that need the process of the agent, or that would leave nothing to read. */
const INSTEAD: Readonly<Record<string, string>> = {
  raw: 'the output of the agent is not stored',
  'dry-run': 'a dry run ends at once',
  demo: 'start the server with --demo instead',
  ephemeral: 'nothing of an ephemeral prompt is kept, so its answer would be lost',
}

/** Throws a Fault for flags that `--detach` cannot be combined with. */
export function checkDetachable({ flags }: Invocation): void {
  for (const [name, instead] of Object.entries(INSTEAD)) {
    if (flags.isOn(name)) throw flagsConflict({ flags: ['--detach', `--${name}`], instead })
  }
  if (flags.text('output-format') === 'stream-json') {
    throw flagsConflict({ flags: ['--detach', '-o stream-json'], instead: 'drover logs -f --json prints the events' })
  }
}

/** Reads `--fallback`: backends, separated by commas. */
export function readFallback(text: string): string[] {
  const names = text.split(',').map((each) => each.trim())
  if (names.includes(''))
    throw flagValueInvalid({ flag: '--fallback', given: text, allowed: 'backends, separated by commas' })
  return names
}
