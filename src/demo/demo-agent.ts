/**
 * drover's demo agent: a program that prints a canned answer as claude, codex or gemini would, and calls no model.
 * `--demo` starts it as `node demo-agent.ts [--write] <agent> <arguments of that agent>` with the prompt on stdin. With `--write` it
 * also writes a file, so that a comparison in worktrees has something to show and to keep. As claude it can stay up and ask.
 */
import { text } from 'node:stream/consumers'
import { AGENT_NAMES, type AgentName } from './demo-answer.ts'
import { stayUp } from './stay-up.ts'
import { readRequest, type TurnSettings, takeTurn } from './take-turn.ts'

const USAGE_EXIT_CODE = 2
const { env } = process
/** The answer appears word by word, as it does with a model. The variable sets another pace, for scripts that do not wait. */
const WORD_MS = Number(env['DEMO_AGENT_WORD_MS'] ?? 15)

const words = process.argv.slice(2)
const doesWrite = words[0] === '--write'
const [name = '', ...argv] = doesWrite ? words.slice(1) : words
// The reader has closed the output.
process.stdout.on('error', () => process.exit(1))
if (isAgentName(name)) await run(name)
else {
  process.stderr.write(`usage: demo-agent.ts [--write] ${AGENT_NAMES.join('|')} [arguments of that agent]\n`)
  process.exitCode = USAGE_EXIT_CODE
}

async function run(agent: AgentName): Promise<void> {
  const settings: TurnSettings = { argv, env, doesWrite, wordMs: WORD_MS }
  if (agent === 'claude' && argv.includes('--replay-user-messages')) return await stayUp(process.stdin, settings, print)
  const request = readRequest({ agent, argv, stdin: await text(process.stdin) })
  // Only `gemini --delete-session` has no prompt. The demo stores no sessions, so there is nothing to delete.
  if (request.prompt !== '') process.exitCode = await takeTurn(request, settings, { print })
}

function print(lines: string): void {
  process.stdout.write(lines)
}

function isAgentName(word: string): word is AgentName {
  return AGENT_NAMES.some((each) => each === word)
}
