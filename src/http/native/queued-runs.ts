/** `GET /api/v1/queue`, `POST /api/v1/runs/:id/first` and `/move` */
import { requestChecker } from '../../kit/schema.ts'
import type { MoveBody } from '../../service/run-requests.shape.ts'
import { toRequestCaller } from '../context/sender.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { checkBody } from '../request/body.ts'
import { validateMoveBody } from '../request/checks.generated.js'
import { sendJson } from '../response/send-json.ts'

type ById = { Params: { id: string } }

const checkMove = requestChecker<MoveBody>('the request', validateMoveBody)

export const registerQueue: RegisterRoutes = (scope, context) => {
  const { runs } = context.drover

  scope.get('/queue', async (request, reply) => sendJson(reply, await runs.queue(toRequestCaller(request, context))))

  scope.post<ById>('/runs/:id/first', async (request, reply) =>
    sendJson(reply, await runs.move(toRequestCaller(request, context), request.params.id, 'first')),
  )

  scope.post<ById>('/runs/:id/move', async (request, reply) => {
    const { before } = checkBody(request.body ?? {}, checkMove)
    const place = before === undefined ? 'last' : { before }
    return sendJson(reply, await runs.move(toRequestCaller(request, context), request.params.id, place))
  })
}
