import { ChainFile, ParallelFile } from '../src/cli/task-file.shape.ts'
import { ConfigFile, ConfigShape } from '../src/config/config.shape.ts'
import { RunEvent } from '../src/engine/event.shape.ts'
import { MessageRequest } from '../src/http/anthropic/wire.shape.ts'
import { SessionEditRequest, SessionQuery } from '../src/http/native/session-requests.shape.ts'
import { ChatRequest } from '../src/http/openai/wire.shape.ts'
import {
  ChainRequest,
  CompareRequest,
  ParallelRequest,
  PromptRequest,
  ResumeRequest,
} from '../src/prompts/prompt-request.shape.ts'
import { CommentAnswer, CommentsAnswer, GraphqlErrors, IssueAnswer } from '../src/source/gh-answers.shape.ts'
import { SourceManifest } from '../src/source/manifest.shape.ts'
import { compileShapes, declareShapes } from './compile-shapes.ts'
import { configDocs } from './config-docs.ts'
import { declareKeys, keysModule, listKeys } from './config-keys.ts'
import { configSchema } from './config-schema.ts'
import { contractChecks, contractImports } from './contract-checks.ts'
import { contractSchema } from './contract-schema.ts'
import { errorDocs } from './error-docs.ts'
import { declareOpenApi, openApiDocument, openApiModule } from './openapi/document.ts'
import { protocolDocs } from './protocol-docs.ts'

/** What `npm run generate` writes, and what the drift test expects to find. Paths are relative to the repository. */
export type GeneratedFile = { path: string; content: string }

export async function generatedFiles(): Promise<GeneratedFile[]> {
  return [
    ...(await configFiles()),
    ...(await promptFiles()),
    ...(await taskFiles()),
    ...(await httpFiles()),
    ...openApiFiles(),
    ...(await contractChecks()),
    ...(await sourceFiles()),
    ...(await engineFiles()),
    { path: 'schema/machine-protocol-v2.json', content: contractSchema() },
    { path: 'docs/machine-protocol.md', content: protocolDocs() },
    { path: 'docs/errors.md', content: `${await errorDocs()}\n` },
  ]
}

async function configFiles(): Promise<GeneratedFile[]> {
  const shapes = { validateConfigFile: ConfigFile }
  const keys = listKeys(ConfigShape)
  return [
    { path: 'src/config/checks.generated.js', content: await compileShapes(shapes, { allProblems: true }) },
    { path: 'src/config/checks.generated.d.ts', content: declareShapes(shapes, '../kit/schema.ts') },
    { path: 'src/config/keys.generated.js', content: keysModule(keys) },
    { path: 'src/config/keys.generated.d.ts', content: declareKeys(keys) },
    { path: 'schema/config.json', content: configSchema() },
    { path: 'docs/config.md', content: configDocs() },
  ]
}

async function promptFiles(): Promise<GeneratedFile[]> {
  const shapes = {
    validatePromptRequest: PromptRequest,
    validateResumeRequest: ResumeRequest,
    validateParallelRequest: ParallelRequest,
    validateChainRequest: ChainRequest,
    validateCompareRequest: CompareRequest,
  }
  return [
    { path: 'src/prompts/checks.generated.js', content: await compileShapes(shapes, { allProblems: true }) },
    { path: 'src/prompts/checks.generated.d.ts', content: declareShapes(shapes, '../kit/schema.ts') },
  ]
}

async function httpFiles(): Promise<GeneratedFile[]> {
  const shapes = {
    validateSessionQuery: SessionQuery,
    validateSessionEditRequest: SessionEditRequest,
    validateChatRequest: ChatRequest,
    validateMessageRequest: MessageRequest,
  }
  return [
    { path: 'src/http/checks.generated.js', content: await compileShapes(shapes, { allProblems: false }) },
    { path: 'src/http/checks.generated.d.ts', content: declareShapes(shapes, '../kit/schema.ts') },
  ]
}

async function taskFiles(): Promise<GeneratedFile[]> {
  const shapes = { validateParallelFile: ParallelFile, validateChainFile: ChainFile }
  return [
    { path: 'src/cli/checks.generated.js', content: await compileShapes(shapes, { allProblems: true }) },
    { path: 'src/cli/checks.generated.d.ts', content: declareShapes(shapes, '../kit/schema.ts') },
  ]
}

async function sourceFiles(): Promise<GeneratedFile[]> {
  const shapes = {
    validateSourceManifest: SourceManifest,
    validateGraphqlErrors: GraphqlErrors,
    validateIssueAnswer: IssueAnswer,
    validateCommentsAnswer: CommentsAnswer,
    validateCommentAnswer: CommentAnswer,
  }
  return [
    { path: 'src/source/checks.generated.js', content: await compileShapes(shapes, { allProblems: false }) },
    { path: 'src/source/checks.generated.d.ts', content: declareShapes(shapes, '../kit/schema.ts') },
  ]
}

async function engineFiles(): Promise<GeneratedFile[]> {
  const shapes = { validateRunEvent: RunEvent }
  const options = { allProblems: false, imports: contractImports() }
  return [
    { path: 'src/engine/checks.generated.js', content: await compileShapes(shapes, options) },
    { path: 'src/engine/checks.generated.d.ts', content: declareShapes(shapes, '../kit/schema.ts') },
  ]
}

function openApiFiles(): GeneratedFile[] {
  const document = openApiDocument()
  return [
    { path: 'schema/openapi.json', content: `${JSON.stringify(document, null, 2)}\n` },
    { path: 'src/http/openapi/document.generated.js', content: openApiModule(document) },
    { path: 'src/http/openapi/document.generated.d.ts', content: declareOpenApi() },
  ]
}
