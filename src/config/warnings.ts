/** Finds settings that are valid but probably a mistake. */
import { relative } from 'node:path'
import type { Config } from './config.shape.ts'

type Check = (config: Config) => readonly string[]

const defaultBackendIsEnabled: Check = ({ backends, default_backend }) =>
  backends[default_backend]?.enabled !== false
    ? []
    : [
        `default_backend is ${default_backend}, but backends.${default_backend}.enabled is false; prompts must name another backend`,
      ]

const onlyClaudeTakesTools: Check = ({ backends }) =>
  (['codex', 'gemini'] as const)
    .filter((name) => backends[name].allowed_tools !== '')
    .map((name) => `backends.${name}.allowed_tools has no effect; only Claude Code takes a list of tools`)

const allowedDirectoriesAreNotBlocked: Check = ({ server }) =>
  server.allowed_workdir_prefixes.flatMap((allowed) => {
    const blocked = server.blocked_workdir_prefixes.find((prefix) => isInside(allowed, prefix))
    return blocked === undefined
      ? []
      : [`server.allowed_workdir_prefixes has ${allowed}, but ${blocked} is blocked and takes precedence`]
  })

function isInside(path: string, directory: string): boolean {
  return !/^\.\.(?:[/\\]|$)/.test(relative(directory, path))
}

const CHECKS: readonly Check[] = [defaultBackendIsEnabled, onlyClaudeTakesTools, allowedDirectoriesAreNotBlocked]

export function findWarnings(config: Config): string[] {
  return CHECKS.flatMap((check) => check(config))
}
