import type { FastifyInstance } from 'fastify'
import type { ServerContext } from './context/server-context.ts'

/** Adds routes to a scope; their paths are relative to its prefix. */
export type RegisterRoutes = (scope: FastifyInstance, context: ServerContext) => void
