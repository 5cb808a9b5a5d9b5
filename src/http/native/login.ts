/** `GET /api/v1/me`, `POST /api/v1/login` and `POST /api/v1/logout` */
import type { FastifyRequest } from 'fastify'
import { checker } from '../../kit/schema.ts'
import { csrfTokenOf, type NewLogin } from '../context/logins.ts'
import type { RegisterRoutes, ServerContext } from '../context/server-context.ts'
import { loginFailed, loginNotNeeded, originNotAllowed } from '../errors/faults.ts'
import { checkBody } from '../request/body.ts'
import { clearLoginCookie, setLoginCookie } from '../request/browser-login.ts'
import { isOwnPage } from '../request/browsers.ts'
import { validateLoginBody } from '../request/checks.generated.js'
import { promptsOf } from '../response/prompts-of.ts'
import { keyThatSees } from './executions.ts'
import type { LoggedOut, LoginBody, Sender } from './login.shape.ts'

const checkLogin = checker<LoginBody>('the request', validateLoginBody)

export const registerLogin: RegisterRoutes = (scope, context) => {
  scope.get('/me', async (request): Promise<Sender> => toSender(request, context))

  scope.post('/login', async (request, reply): Promise<Sender> => {
    refuseOtherPages(request)
    const login = logIn(checkBody(request.body, checkLogin), context)
    setLoginCookie(request, reply, login)
    request.facts.loginToken = login.token
    request.facts.key = context.logins.find(login.token)
    return toSender(request, context)
  })

  scope.post('/logout', async (request, reply): Promise<LoggedOut> => {
    const { loginToken } = request.facts
    if (loginToken !== undefined) context.logins.end(loginToken)
    clearLoginCookie(request, reply)
    return { logged_out: true }
  })
}

/** Otherwise another page could log its visitor in under a key of its own. */
function refuseOtherPages({ headers }: FastifyRequest): void {
  if (!isOwnPage(headers)) throw originNotAllowed({ origin: headers.origin ?? 'another site', canBeListed: false })
}

function logIn({ key, link }: LoginBody, { logins, keys }: ServerContext): NewLogin {
  if (!keys.isRequired) throw loginNotNeeded({})
  const login = link === undefined ? logins.useKey(key ?? '') : logins.useLink(link)
  if (login === undefined) throw loginFailed({ by: link === undefined ? 'key' : 'link' })
  return login
}

function toSender(request: FastifyRequest, context: ServerContext): Sender {
  const { key, loginToken, isLocalUser } = request.facts
  const { approval, sandbox } = promptsOf(request, context).ceilings ?? {}
  return {
    version: context.version,
    auth: isLocalUser ? 'socket' : loginToken !== undefined ? 'login' : key !== undefined ? 'key' : 'none',
    ...(key !== undefined && { name: key.name }),
    role: keyThatSees(request, context) === undefined ? 'operator' : 'client',
    ...(loginToken !== undefined && { csrf_token: csrfTokenOf(loginToken) }),
    workdir: context.prompts.cwd,
    workdirs: context.config.server.allowed_workdir_prefixes,
    ...(approval !== undefined && { max_approval_mode: approval.mode }),
    ...(sandbox !== undefined && { max_sandbox_mode: sandbox.mode }),
    may_decide: approval === undefined && sandbox === undefined,
  }
}
