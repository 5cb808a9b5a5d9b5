import type { Agent, Backend } from './agent.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { gemini } from './gemini.ts'

export const AGENTS: Readonly<Record<Backend, Agent>> = { claude, codex, gemini }
