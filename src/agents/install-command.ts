import type { Backend } from './adapter/agent.ts'

/** The npm package of each agent, as its vendor publishes it. */
const PACKAGES: Readonly<Record<Backend, string>> = {
  claude: '@anthropic-ai/claude-code',
  codex: '@openai/codex',
  gemini: '@google/gemini-cli',
}

/** The command that installs an agent. Every message about a missing agent shows it. */
export function installCommandOf(backend: Backend): string {
  return `npm install --global ${PACKAGES[backend]}`
}
