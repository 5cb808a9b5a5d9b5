/**
 * Whether an agent can have a login, as far as that is seen without asking it: a file with a login exists, or a variable with
 * a key is set. Only the existence of files counts; they are never read.
 */
import { existsSync } from 'node:fs'
import type { Environment } from '../../kit/process/child-environment.ts'

export type LoginTraces = {
  /** Files from which a login can come. */
  files: readonly string[]
  /** Variables that hold a key, or choose a service with its own login. */
  variables: readonly string[]
}

export function hasTraces(env: Environment, { files, variables }: LoginTraces): boolean {
  return variables.some((name) => Boolean(env[name])) || files.some((file) => existsSync(file))
}
