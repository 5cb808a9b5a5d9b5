import { Type } from 'typebox'
import { literals, type Message, named } from '../../kit/shape.ts'

const BackendHealth = Type.Object({
  name: Type.String(),
  available: Type.Boolean({ description: 'Whether prompts can be sent to it.' }),
  version: Type.Optional(Type.String({ description: 'Left out until the agent has told it.' })),
  demo: Type.Optional(Type.Literal(true, { description: 'The built-in demo agent stands in for it.' })),
})

const StoreHealth = Type.Object({
  available: Type.Boolean(),
  session_count: Type.Integer({ minimum: 0, description: '0 when the store does not answer.' }),
  error: Type.Optional(Type.String({ description: 'Only when the store does not answer.' })),
})

export const Health = named(
  'Health',
  Type.Object({
    status: literals(['ok', 'degraded', 'unhealthy'], {
      description: '`degraded`: an enabled backend is missing. `unhealthy`: the session store does not answer.',
    }),
    version: Type.String({ description: 'Of drover.' }),
    uptime: Type.String({ description: 'Such as `1h0m5s`.' }),
    uptime_ms: Type.Integer({ minimum: 0 }),
    backends: Type.Array(BackendHealth, { description: 'Those that are enabled, in canonical order.' }),
    session_store: StoreHealth,
  }),
)
export type Health = Message<typeof Health>
