/** `GET /api/v1/me`, `POST /api/v1/login` and `POST /api/v1/logout` */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { mayMerge } from '../../drive/service/client-rules.ts'
import { requestChecker } from '../../kit/schema.ts'
import { isAdmin, visibleKeyId } from '../../prompts/caller.ts'
import { chooseDefaultWorkdir } from '../../prompts/workdir-policy.ts'
import type { LoggedIn, Sender } from '../../service/request-sender.shape.ts'
import type { LoginProof, NewLogin } from '../context/logins.ts'
import { toRequestCaller } from '../context/sender.ts'
import type { RegisterRoutes, ServerContext } from '../context/server-context.ts'
import { loginFailed, loginNotNeeded, originNotAllowed } from '../errors/faults.ts'
import { checkBody } from '../request/body.ts'
import { clearLoginCookie, delayWrongKey, setLoginCookie, wrongKeyIn } from '../request/browser-login.ts'
import { isOwnPage } from '../request/browsers.ts'
import { validateLoginBody } from '../request/checks.generated.js'
import type { LoggedOut, LoginBody } from './login.shape.ts'

const checkLogin = requestChecker<LoginBody>('the request', validateLoginBody)

export const registerLogin: RegisterRoutes = (scope, context) => {
  scope.get('/me', async (request): Promise<Sender> => toSender(request, context))

  scope.post('/login', async (request, reply): Promise<LoggedIn> => {
    refuseOtherPages(request)
    const login = await logIn({ request, reply }, context)
    setLoginCookie(request, reply, login)
    request.facts.login = login
    request.facts.key = context.logins.find(login)
    return { ...toSender(request, context), page_secret: login.secret }
  })

  scope.post('/logout', async (request, reply): Promise<LoggedOut> => {
    const { login } = request.facts
    request.facts.endsAccess = true
    if (login !== undefined) await endLogin(login, context)
    clearLoginCookie(request, reply)
    return { logged_out: true }
  })
}

/** The browser is not notified any more. */
async function endLogin(login: LoginProof, { logins, drover }: ServerContext): Promise<void> {
  const owner = logins.ownerOf(login)
  logins.end(login)
  if (owner !== undefined) await (await drover.announcements.push())?.unsubscribe(owner)
}

/** Otherwise another page could log its visitor in under its own key. */
function refuseOtherPages({ headers }: FastifyRequest): void {
  if (!isOwnPage(headers)) throw originNotAllowed({ origin: headers.origin ?? 'another site', canBeListed: false })
}

async function logIn(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  context: ServerContext,
): Promise<NewLogin> {
  const { key = '', link } = checkBody(request.body, checkLogin)
  const { logins, keys } = context
  if (!keys.isRequired) throw loginNotNeeded({})
  // A link is too long to be guessed, so it is always checked.
  const byLink = link === undefined ? undefined : logins.useLink(link)
  if (byLink !== undefined) return byLink
  const found = link === undefined ? keys.find(key) : undefined
  const wrong = wrongKeyIn(request, found?.id, context)
  const login = wrong === undefined && found !== undefined ? logins.useKey(key) : undefined
  if (login !== undefined) return login
  if (wrong !== undefined) await delayWrongKey(wrong, reply, context)
  throw loginFailed({ by: link === undefined ? 'key' : 'link' })
}

function toSender(request: FastifyRequest, context: ServerContext): Sender {
  const { key, login, isLocalUser } = request.facts
  const by = toRequestCaller(request, context)
  const { approval, sandbox, directories } = by.ceilings ?? {}
  const { allowed_workdir_prefixes: allowed } = context.config.server
  return {
    version: context.version,
    auth: isLocalUser ? 'socket' : login !== undefined ? 'login' : key !== undefined ? 'key' : 'none',
    ...(key !== undefined && { name: key.name }),
    role: isAdmin(by) ? 'admin' : visibleKeyId(by) === undefined ? 'operator' : 'client',
    workdir: chooseDefaultWorkdir(context.drover.cwd, { allowed, ofKey: directories }),
    workdirs: directories?.paths ?? allowed,
    ...(approval !== undefined && { max_approval_mode: approval.mode }),
    ...(sandbox !== undefined && { max_sandbox_mode: sandbox.mode }),
    may_merge: mayMerge(by),
    may_decide: approval === undefined && sandbox === undefined,
  }
}
