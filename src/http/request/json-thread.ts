/** The program of the thread that reads large bodies. `read-body.ts` starts it. */
import { parentPort } from 'node:worker_threads'
import { Fault } from '../../kit/fault.ts'
import { readJson } from '../../kit/json/read-json.ts'
import { BODY_RULES, type ThreadAnswer, type ThreadRequest } from './read-body.ts'

parentPort?.on('message', (request: ThreadRequest) => parentPort?.postMessage(answerTo(request)))

function answerTo({ number, parts }: ThreadRequest): ThreadAnswer {
  try {
    return { number, value: readJson(Buffer.concat(parts), BODY_RULES) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { number, problem: error.details }
  }
}
