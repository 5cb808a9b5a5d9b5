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
