import { findKnownAgent } from './acp/known-agents.ts'
import type { Backend } from './adapter/agent.ts'

/** The npm package of each native agent, as its vendor publishes it. */
const PACKAGES: Readonly<Record<Backend, string | undefined>> = {
  claude: '@anthropic-ai/claude-code',
  codex: '@openai/codex',
  gemini: '@google/gemini-cli',
}

/** The command that installs an agent; undefined for an agent that drover does not know. */
export function findInstallCommand(backend: Backend): string | undefined {
  const name = Object.hasOwn(PACKAGES, backend) ? PACKAGES[backend] : undefined
  return name === undefined ? findKnownAgent(backend)?.install : `npm install --global ${name}`
}

/** How to get a missing agent. Every message about one says this. */
export function installAdvice(backend: Backend): string {
  const command = findInstallCommand(backend)
  return command === undefined ? 'install it' : `install it with "${command}"`
}
