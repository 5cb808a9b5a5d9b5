/** Finds stored responses. A key sees only its own. */
import type { FastifyRequest } from 'fastify'
import type { Execution } from '../../executions/store/execution.shape.ts'
import { executionNotFound } from '../../executions/store/faults.ts'
import { isFault } from '../../kit/fault.ts'
import { toRequestCaller } from '../context/sender.ts'
import type { ServerContext } from '../context/server-context.ts'
import { responseNotFound } from '../errors/faults.ts'
import { placeOfResponse, type ResponseRecord, readResponseRecord } from './response-record.ts'

/** `part`: which part of the turn of the execution it is. */
export type FoundResponse = { execution: Execution; record: ResponseRecord; part?: number }

/** Throws a Fault if there is none, or if it belongs to another key. */
export async function findResponse(
  id: string,
  request: FastifyRequest,
  context: ServerContext,
): Promise<FoundResponse> {
  const place = placeOfResponse(id)
  const found = place && (await findVisible(place.executionId, request, context))
  if (found === undefined) throw responseNotFound({ id })
  return { ...found, part: place?.part ?? 0 }
}

/** The same by the id of its execution; undefined if there is none. */
export async function findVisible(
  id: string,
  request: FastifyRequest,
  context: ServerContext,
): Promise<FoundResponse | undefined> {
  try {
    const execution = await context.drover.executions.find(toRequestCaller(request, context), id)
    const record = readResponseRecord(execution)
    return record?.store === true ? { execution, record } : undefined
  } catch (error) {
    if (isFault(error, executionNotFound)) return undefined
    throw error
  }
}
