/** `GET`, `POST` and `DELETE /api/v1/push`: notifications of a browser, which the console asks for. */
import type { FastifyRequest } from 'fastify'
import { requestChecker } from '../../kit/schema.ts'
import type { PushOffer } from '../../service/administration.shape.ts'
import { ANYONE } from '../context/logins.ts'
import type { RegisterRoutes, ServerContext } from '../context/server-context.ts'
import { pushIsOff, pushNeedsLogin } from '../errors/faults.ts'
import { checkBody } from '../request/body.ts'
import { validatePushBody } from '../request/checks.generated.js'
import type { PushBody, PushState } from './push.shape.ts'

const checkPush = requestChecker<PushBody>('the request', validatePushBody)

export const registerPush: RegisterRoutes = (scope, context) => {
  const { announcements } = context.drover

  scope.get('/push', async (): Promise<PushOffer> => {
    const push = await announcements.push()
    return push === undefined ? {} : { public_key: push.publicKey() }
  })

  scope.post('/push', async (request, reply): Promise<PushState> => {
    const { endpoint, keys } = checkBody(request.body, checkPush)
    const push = await announcements.push()
    if (push === undefined) throw pushIsOff({})
    await push.subscribe({ endpoint, ...keys, ...ownerOf(request, context) })
    reply.status(201)
    return { notified: true }
  })

  scope.delete('/push', async (request): Promise<PushState> => {
    await (await announcements.push())?.unsubscribe(ownerOf(request, context))
    return { notified: false }
  })
}

/** They end with the login, so a program with a key cannot ask for them. */
function ownerOf({ facts: { login } }: FastifyRequest, { keys, logins }: ServerContext) {
  if (!keys.isRequired) return { as: ANYONE, login: '' }
  const owner = login && logins.ownerOf(login)
  if (owner === undefined) throw pushNeedsLogin({})
  return owner
}
