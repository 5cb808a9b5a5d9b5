/** What drover asks of the demo agent, by its arguments and its input. */
import { readFileSync } from 'node:fs'
import type { AgentName } from './demo-answer.ts'

export type DemoRequest = {
  agent: AgentName
  prompt: string
  model: string
  resumeId?: string | undefined
  hasPartialMessages: boolean
  /** JSON Schema of the answer. */
  schema: string | undefined
}

export type DemoMessage = { message: { content: readonly { text?: string }[] } }

type Input = { agent: AgentName; argv: readonly string[]; stdin: string }

/** Reads what the demo needs. It ignores every other argument: drover has checked them, and passes the prompt on stdin. */
export function readRequest({ agent, argv, stdin }: Input): DemoRequest {
  return {
    agent,
    prompt: argv.includes('--input-format') ? textOfMessages(stdin) : stdin,
    model: flagValue(argv, '--model') ?? 'demo',
    resumeId: agent === 'codex' ? codexResumeId(argv) : flagValue(argv, '--resume'),
    hasPartialMessages: argv.includes('--include-partial-messages'),
    schema: agent === 'codex' ? (readSchemaFile(argv) ?? schemaIn(stdin)) : flagValue(argv, '--json-schema'),
  }
}

/** `--flag value` or `--flag=value`; the last one counts. */
export function flagValue(argv: readonly string[], flag: string): string | undefined {
  const at = argv.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`))
  return argv[at] === flag ? argv[at + 1] : argv[at]?.slice(flag.length + 1)
}

function readSchemaFile(argv: readonly string[]): string | undefined {
  const path = flagValue(argv, '--output-schema')
  return path === undefined ? undefined : readFileSync(path, 'utf8')
}

/** One that the model service would refuse is in the prompt. */
function schemaIn(prompt: string): string | undefined {
  return /It must match this JSON Schema:\n(\{.*\})\s*$/s.exec(prompt)?.[1]
}

/** Codex is called as `codex exec … resume <id> -`. */
function codexResumeId(argv: readonly string[]): string | undefined {
  return argv.at(-3) === 'resume' ? argv.at(-2) : undefined
}

/** Claude gets a prompt with `/`, `@` or attachments as a JSON message (`--input-format stream-json`). */
function textOfMessages(stdin: string): string {
  const { message } = JSON.parse(stdin) as DemoMessage
  return message.content.map(({ text = '' }) => text).join('')
}
