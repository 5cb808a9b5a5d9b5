/** The agents that drover knows. */
import type { Agent, Backend } from './adapter/agent.ts'
import { claude } from './claude/agent.ts'
import { codex } from './codex/agent.ts'
import { gemini } from './gemini/agent.ts'

export const AGENTS: Readonly<Record<Backend, Agent>> = { claude, codex, gemini }
