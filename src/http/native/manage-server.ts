/** `/api/v1/keys`, `/settings`, `/repositories` and `/machines`: for those who manage the server; and `/watchers`, for its user. */
import type { FastifyRequest } from 'fastify'
import { requestChecker } from '../../kit/schema.ts'
import type { NewKeyBody } from '../../service/administration.shape.ts'
import { toRequestCaller } from '../context/sender.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { checkBody } from '../request/body.ts'
import { validateNewKeyBody } from '../request/checks.generated.js'
import { sendJson } from '../response/send-json.ts'

type ByName = { Params: { name: string } }

const checkNewKey = requestChecker<NewKeyBody>('the request', validateNewKeyBody)

export const registerAdministration: RegisterRoutes = (scope, context) => {
  const { keys, settings, repositories, machines } = context.drover
  const by = (request: FastifyRequest) => toRequestCaller(request, context)

  scope.get('/keys', async (request, reply) => sendJson(reply, await keys.list(by(request))))

  scope.post('/keys', async (request, reply) => {
    const created = await keys.create(by(request), checkBody(request.body, checkNewKey))
    return sendJson(reply.code(201), created)
  })

  scope.post<ByName>('/keys/:name/rotate', async (request, reply) =>
    sendJson(reply, await keys.rotate(by(request), request.params.name)),
  )

  scope.delete<ByName>('/keys/:name', async (request, reply) =>
    sendJson(reply, await keys.revoke(by(request), request.params.name)),
  )

  scope.get('/settings', async (request, reply) => sendJson(reply, await settings.list(by(request))))

  scope.get('/repositories', async (request, reply) => sendJson(reply, await repositories.list(by(request))))

  scope.get('/machines', async (request, reply) => sendJson(reply, await machines.list(by(request))))

  scope.post<ByName>('/machines/:name/drain', async (request, reply) =>
    sendJson(reply, await machines.drain(by(request), request.params.name)),
  )

  scope.delete<ByName>('/machines/:name', async (request, reply) =>
    sendJson(reply, await machines.forget(by(request), request.params.name)),
  )
}

export const registerWatchers: RegisterRoutes = (scope, context) => {
  scope.get('/watchers', async (request, reply) =>
    sendJson(reply, { watchers: await context.drover.watchers.list(toRequestCaller(request, context)) }),
  )
}
