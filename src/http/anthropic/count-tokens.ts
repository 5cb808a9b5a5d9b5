/** `POST /anthropic/v1/messages/count_tokens`: an estimate, because agents have no way to count the tokens of a prompt. */
import { checker } from '../../kit/schema.ts'
import { toConversation } from '../../prompts/chat-messages.ts'
import { estimateTokens } from '../../prompts/tokens.ts'
import { type ClientTools, ignoreToolCalls } from '../compatible/client-tools.ts'
import { announce, chooseFor } from '../compatible/send-reply.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { checkBody } from '../request/body.ts'
import { validateCountTokensRequest } from '../request/checks.generated.js'
import type { CountTokensRequest, TokenCount } from './count-tokens.shape.ts'
import { checkApiVersion } from './messages.ts'

const checkRequest = checker<CountTokensRequest>('the request', validateCountTokensRequest)

export const registerCountTokens: RegisterRoutes = (scope, context) => {
  scope.post('/messages/count_tokens', async (request, reply): Promise<TokenCount> => {
    checkApiVersion(request.headers['anthropic-version'], { isRequired: context.config.server.require_api_version })
    const asked = checkBody(request.body, checkRequest)
    const choose = chooseFor({ request, context }, 'message')
    const count = countTokens(asked, context.config.server.client_tools)
    announce(reply, { model: asked.model, choice: choose(asked.model), warnings: [ESTIMATED] })
    return count
  })
}

const ESTIMATED =
  'input_tokens is an estimate: a quarter of the bytes of all texts; the agent adds its own instructions'

/** Counts what the agent would get. Tools are counted too, although the agent does not get them. */
function countTokens({ messages, system, tools }: CountTokensRequest, clientTools: ClientTools): TokenCount {
  const kept = ignoreToolCalls(messages, clientTools)
  const { prompt, systemPrompt = '' } = toConversation(kept.messages, system ?? undefined)
  const offered = (tools ?? []).map((tool) => JSON.stringify(tool)).join('')
  return { input_tokens: estimateTokens(systemPrompt + prompt + offered) }
}
