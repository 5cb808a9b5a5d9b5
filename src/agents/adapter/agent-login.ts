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

/** How to log in, in the error of an agent. Pure. */
type LoginError = { code: string; message: string; login?: string }

/** The error with the steps of the agent, if its login is missing or refused. */
export function withLoginSteps<E extends LoginError>(
  { login, ...error }: E,
  { agent }: { agent: { readonly login: string } },
): Omit<E, 'login'> {
  if (error.code !== 'agent_auth_failed') return error
  const message = error.message.replace(/[\s.!]+$/, '')
  return { ...error, message: `${message}; to log in, ${login ?? agent.login}` }
}
