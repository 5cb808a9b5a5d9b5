/** What is allowed and yet seldom meant. */
import { relative } from 'node:path'
import type { Config } from './config.shape.ts'

type Advice = (config: Config) => readonly string[]

const defaultBackendIsEnabled: Advice = ({ backends, default_backend }) =>
  backends[default_backend].enabled
    ? []
    : [
        `default_backend is ${default_backend}, but backends.${default_backend}.enabled is false; prompts must name another backend`,
      ]

const onlyClaudeTakesTools: Advice = ({ backends }) =>
  (['codex', 'gemini'] as const)
    .filter((name) => backends[name].allowed_tools !== '')
    .map((name) => `backends.${name}.allowed_tools has no effect; only Claude Code takes a list of tools`)

const allowedDirectoriesAreNotBlocked: Advice = ({ server }) =>
  server.allowed_workdir_prefixes.flatMap((allowed) => {
    const blocked = server.blocked_workdir_prefixes.find((prefix) => isInside(allowed, prefix))
    return blocked === undefined
      ? []
      : [`server.allowed_workdir_prefixes holds ${allowed}, but ${blocked} is blocked and wins`]
  })

function isInside(path: string, directory: string): boolean {
  return !/^\.\.(?:[/\\]|$)/.test(relative(directory, path))
}

const ADVICE: readonly Advice[] = [defaultBackendIsEnabled, onlyClaudeTakesTools, allowedDirectoriesAreNotBlocked]

export function adviseOn(config: Config): string[] {
  return ADVICE.flatMap((advice) => advice(config))
}
