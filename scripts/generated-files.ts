import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TSchema } from 'typebox'
import * as acp from '../src/acp/acp-requests.shape.ts'
import { ApprovalRequest } from '../src/agents/adapter/agent.shape.ts'
import { ChainFile, ParallelFile } from '../src/cli/batch/task-file.shape.ts'
import { AcpSection } from '../src/config/backend.shape.ts'
import { ConfigFile, ConfigShape } from '../src/config/config.shape.ts'
import { ProjectFile, ProjectRecord } from '../src/config/projects/project.shape.ts'
import { RunVerdict } from '../src/contract/run-verdict.shape.ts'
import { NightReports } from '../src/drive/night/night-report.shape.ts'
import { DriveEvent } from '../src/drive/record/drive-event.shape.ts'
import { DrivenRecord, RunCopy } from '../src/drive/record/driven-record.shape.ts'
import { AgentLimit, SettingsDecision } from '../src/drive/record/user-records.shape.ts'
import { DrivenDiff, DrivenRun, DrivenRunPage } from '../src/drive/service/driven-run.shape.ts'
import { DrivenRunEvent } from '../src/drive/service/driven-run-event.shape.ts'
import { RunEvent } from '../src/engine/state/run-event.shape.ts'
import { SessionTurn } from '../src/executions/session-turn.shape.ts'
import { Execution, ExecutionEvent, ExecutionPage } from '../src/executions/store/execution.shape.ts'
import * as gitHubAnswers from '../src/forge/github-answers.shape.ts'
import { ChangeRecord } from '../src/hosts/change/change-record.shape.ts'
import { OwnershipManifest } from '../src/hosts/manifest.shape.ts'
import { CountTokensRequest, MessageRequest } from '../src/http/anthropic/messages.shape.ts'
import { ComparedQuery, ComparisonsQuery } from '../src/http/native/batches.shape.ts'
import { DecisionBody, EventsQuery, ExecutionQuery, MessageBody } from '../src/http/native/executions.shape.ts'
import { LoginBody } from '../src/http/native/login.shape.ts'
import { PushBody } from '../src/http/native/push.shape.ts'
import { SessionDetailQuery, SessionEditRequest, SessionListQuery } from '../src/http/native/sessions.shape.ts'
import { UsageParameters } from '../src/http/native/usage.shape.ts'
import { ChatRequest } from '../src/http/openai/chat-completions.shape.ts'
import { ConversationCreateRequest, ConversationUpdateRequest } from '../src/http/openai/conversations.shape.ts'
import { CompactRequest, InputItemsQuery, ResponseQuery, ResponseRequest } from '../src/http/openai/responses.shape.ts'
import { JournalRecord } from '../src/journal/record.shape.ts'
import * as library from '../src/library/requests.shape.ts'
import { TOOL_SHAPES } from '../src/mcp/tools.shape.ts'
import { BudgetList } from '../src/prompts/budget-list.shape.ts'
import { MessageSent } from '../src/prompts/message-sent.shape.ts'
import { PromptEvent } from '../src/prompts/prompt-event.shape.ts'
import {
  ChainRequest,
  CompareRequest,
  KeepRequest,
  ParallelRequest,
  PromptBody,
  ResumeRequest,
} from '../src/prompts/prompt-request.shape.ts'
import * as results from '../src/prompts/prompt-result.shape.ts'
import { NewKeyBody } from '../src/service/administration.shape.ts'
import {
  AnswerBody,
  ConfirmBody,
  DiffQuery,
  FollowUpBody,
  MergeBody,
  MoveBody,
  ReportQuery,
  ResumeBody,
  RunQuery,
  SkipBody,
  StartBody,
} from '../src/service/run-requests.shape.ts'
import { Session, SessionPage } from '../src/sessions/session.shape.ts'
import { CommentAnswer, CommentsAnswer, IssueAnswer } from '../src/source/gh-answers.shape.ts'
import { ManifestSection, SourceManifest } from '../src/source/source-manifest.shape.ts'
import { TakenIssue, WatchRecord } from '../src/watch/record/watch-record.shape.ts'
import { TemplateRecord } from '../src/workspace/prepare/template.shape.ts'
import { WorktreeRecord } from '../src/workspace/worktree-record.shape.ts'
import { readResults } from '../test/real/client-results.ts'
import { cliDocs } from './cli-docs.ts'
import { clientDocs } from './client-docs.ts'
import { compileShapes, declareShapes } from './compile-shapes.ts'
import { configDocs } from './config-docs.ts'
import { declareKeys, keysModule, listAcpKeys, listKeys } from './config-keys.ts'
import { configSchema } from './config-schema.ts'
import { contractChecks, contractImports } from './contract-checks.ts'
import { contractSchema } from './contract-schema.ts'
import { dependencyDocs } from './dependency-docs.ts'
import { doctorDocs } from './doctor-docs.ts'
import { drawArchitecture } from './draw-architecture.ts'
import { errorCodeTypes } from './error-code-types.ts'
import { errorDocs } from './error-docs.ts'
import { fieldsOf, formOf } from './form-of-shape.ts'
import type { GeneratedFile } from './generated-file.ts'
import { declareTexts, hostTexts, textsModule } from './host-texts.ts'
import { libraryTypes } from './library-types.ts'
import { limitDocs } from './limit-docs.ts'
import { manPage } from './man-page.ts'
import { declareMcpTools, mcpTools, mcpToolsModule } from './mcp-tools.ts'
import { declareOpenApi, openApiDocument, openApiModule } from './openapi/document.ts'
import { protocolDocs } from './protocol-docs.ts'
import { runEventDocs } from './run-event-docs.ts'
import { declareSeccomp, seccompModule } from './seccomp/filters.ts'

export async function generatedFiles(): Promise<GeneratedFile[]> {
  return [
    ...(await configFiles()),
    ...(await projectFiles()),
    ...(await promptFiles()),
    ...(await taskFiles()),
    ...(await httpFiles()),
    ...openApiFiles(),
    ...(await mcpFiles()),
    ...(await contractChecks()),
    ...(await sourceFiles()),
    ...(await forgeFiles()),
    ...(await engineFiles()),
    ...(await journalFiles()),
    ...(await workspaceFiles()),
    ...(await hostFiles()),
    ...(await driveFiles()),
    ...(await watchFiles()),
    ...(await libraryFiles()),
    ...(await acpFiles()),
    { path: 'src/sandbox/seccomp.generated.js', content: seccompModule() },
    { path: 'src/sandbox/seccomp.generated.d.ts', content: declareSeccomp() },
    { path: 'schema/machine-protocol-v2.json', content: contractSchema() },
    { path: 'docs/machine-protocol.md', content: protocolDocs() },
    { path: 'docs/dependencies.md', content: dependencyDocs(join(import.meta.dirname, '..')) },
    { path: 'docs/doctor.md', content: await doctorDocs() },
    { path: 'docs/architecture.svg', content: drawArchitecture() },
    { path: 'docs/cli.md', content: cliDocs() },
    { path: 'man/drover.1', content: manPage(readVersion()) },
    { path: 'docs/clients/README.md', content: clientDocs(join(import.meta.dirname, '..'), readResults()) },
    { path: 'docs/http-api.md', content: runEventDocs(limitDocs(join(import.meta.dirname, '..'))) },
    { path: 'docs/errors.md', content: `${await errorDocs()}\n` },
  ]
}

async function watchFiles(): Promise<GeneratedFile[]> {
  const shapes = { validateWatchRecord: WatchRecord, validateTakenIssue: TakenIssue }
  const folder = 'src/watch/record'
  return [
    { path: `${folder}/checks.generated.js`, content: await compileShapes(shapes, { allProblems: false }) },
    { path: `${folder}/checks.generated.d.ts`, content: declareShapes(shapes, '../../kit/schema.ts') },
  ]
}

async function projectFiles(): Promise<GeneratedFile[]> {
  const shapes = { validateProjectFile: ProjectFile, validateProjectRecord: ProjectRecord }
  const folder = 'src/config/projects'
  return [
    { path: `${folder}/checks.generated.js`, content: await compileShapes(shapes, { allProblems: false }) },
    { path: `${folder}/checks.generated.d.ts`, content: declareShapes(shapes, '../../kit/schema.ts') },
  ]
}

async function configFiles(): Promise<GeneratedFile[]> {
  const shapes = { validateConfigFile: ConfigFile }
  const keys = listKeys(ConfigShape)
  return [
    { path: 'src/config/checks.generated.js', content: await compileShapes(shapes, { allProblems: true }) },
    { path: 'src/config/checks.generated.d.ts', content: declareShapes(shapes, '../kit/schema.ts') },
    { path: 'src/config/keys.generated.js', content: keysModule(keys, listAcpKeys(AcpSection)) },
    { path: 'src/config/keys.generated.d.ts', content: declareKeys(keys) },
    { path: 'schema/config.json', content: configSchema() },
    { path: 'docs/config.md', content: configDocs() },
  ]
}

async function promptFiles(): Promise<GeneratedFile[]> {
  const shapes = {
    validatePromptRequest: PromptBody,
    validateResumeRequest: ResumeRequest,
    validateParallelRequest: ParallelRequest,
    validateChainRequest: ChainRequest,
    validateCompareRequest: CompareRequest,
    validateKeepRequest: KeepRequest,
  }
  return [
    { path: 'src/prompts/checks.generated.js', content: await compileShapes(shapes, { allProblems: true }) },
    { path: 'src/prompts/checks.generated.d.ts', content: declareShapes(shapes, '../kit/schema.ts') },
  ]
}

async function httpFiles(): Promise<GeneratedFile[]> {
  const shapes = {
    validateSessionQuery: SessionListQuery,
    validateSessionDetailQuery: SessionDetailQuery,
    validateSessionEditRequest: SessionEditRequest,
    validateExecutionQuery: ExecutionQuery,
    validateDecisionBody: DecisionBody,
    validateMessageBody: MessageBody,
    validateEventsQuery: EventsQuery,
    validateUsageQuery: UsageParameters,
    validateLoginBody: LoginBody,
    validatePushBody: PushBody,
    validateDiffQuery: DiffQuery,
    validateReportQuery: ReportQuery,
    validateRunQuery: RunQuery,
    validateStartBody: StartBody,
    validateAnswerBody: AnswerBody,
    validateConfirmBody: ConfirmBody,
    validateSkipBody: SkipBody,
    validateFollowUpBody: FollowUpBody,
    validateMergeBody: MergeBody,
    validateComparedQuery: ComparedQuery,
    validateComparisonsQuery: ComparisonsQuery,
    validateNewKeyBody: NewKeyBody,
    validateMoveBody: MoveBody,
    validateResumeBody: ResumeBody,
    validateChatRequest: ChatRequest,
    validateResponseRequest: ResponseRequest,
    validateResponseQuery: ResponseQuery,
    validateConversationCreateRequest: ConversationCreateRequest,
    validateConversationUpdateRequest: ConversationUpdateRequest,
    validateCompactRequest: CompactRequest,
    validateInputItemsQuery: InputItemsQuery,
    validateMessageRequest: MessageRequest,
    validateCountTokensRequest: CountTokensRequest,
  }
  return [
    { path: 'src/http/request/checks.generated.js', content: await compileShapes(shapes, { allProblems: false }) },
    { path: 'src/http/request/checks.generated.d.ts', content: declareShapes(shapes, '../../kit/schema.ts') },
  ]
}

async function mcpFiles(): Promise<GeneratedFile[]> {
  const shapes = Object.fromEntries(TOOL_SHAPES.map(({ name, input }) => [name, input]))
  const tools = mcpTools()
  const folder = 'src/mcp'
  return [
    { path: `${folder}/checks.generated.js`, content: await compileShapes(shapes, { allProblems: true }) },
    { path: `${folder}/checks.generated.d.ts`, content: declareShapes(shapes, '../kit/schema.ts') },
    { path: `${folder}/tools.generated.js`, content: mcpToolsModule(tools) },
    { path: `${folder}/tools.generated.d.ts`, content: declareMcpTools() },
  ]
}

async function taskFiles(): Promise<GeneratedFile[]> {
  const shapes = { validateParallelFile: ParallelFile, validateChainFile: ChainFile }
  return [
    { path: 'src/cli/batch/checks.generated.js', content: await compileShapes(shapes, { allProblems: true }) },
    { path: 'src/cli/batch/checks.generated.d.ts', content: declareShapes(shapes, '../../kit/schema.ts') },
  ]
}

async function sourceFiles(): Promise<GeneratedFile[]> {
  const shapes = {
    validateManifestForm: formOf(SourceManifest),
    validateManifestFields: fieldsOf(SourceManifest),
    validateManifestSectionFields: fieldsOf(ManifestSection),
    validateIssueAnswer: IssueAnswer,
    validateCommentsAnswer: CommentsAnswer,
    validateCommentAnswer: CommentAnswer,
  }
  return [
    { path: 'src/source/checks.generated.js', content: await compileShapes(shapes, { allProblems: false }) },
    { path: 'src/source/checks.generated.d.ts', content: declareShapes(shapes, '../kit/schema.ts') },
  ]
}

async function forgeFiles(): Promise<GeneratedFile[]> {
  const shapes = Object.fromEntries(
    Object.entries(gitHubAnswers)
      .toSorted()
      .map(([name, shape]) => [`validate${name}`, shape]),
  )
  return [
    { path: 'src/forge/checks.generated.js', content: await compileShapes(shapes, { allProblems: false }) },
    { path: 'src/forge/checks.generated.d.ts', content: declareShapes(shapes, '../kit/schema.ts') },
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

async function journalFiles(): Promise<GeneratedFile[]> {
  const shapes = { validateJournalRecord: JournalRecord }
  return [
    { path: 'src/journal/checks.generated.js', content: await compileShapes(shapes, { allProblems: false }) },
    { path: 'src/journal/checks.generated.d.ts', content: declareShapes(shapes, '../kit/schema.ts') },
  ]
}

async function workspaceFiles(): Promise<GeneratedFile[]> {
  const shapes = { validateTemplateRecord: TemplateRecord, validateWorktreeRecord: WorktreeRecord }
  const folder = 'src/workspace'
  return [
    { path: `${folder}/checks.generated.js`, content: await compileShapes(shapes, { allProblems: false }) },
    { path: `${folder}/checks.generated.d.ts`, content: declareShapes(shapes, '../kit/schema.ts') },
  ]
}

async function driveFiles(): Promise<GeneratedFile[]> {
  const shapes = {
    validateDriveEvent: DriveEvent,
    validateDrivenRecord: DrivenRecord,
    validateRunCopy: RunCopy,
    validateSettingsDecision: SettingsDecision,
    validateAgentLimit: AgentLimit,
  }
  return [
    { path: 'src/drive/record/checks.generated.js', content: await compileShapes(shapes, { allProblems: false }) },
    { path: 'src/drive/record/checks.generated.d.ts', content: declareShapes(shapes, '../../kit/schema.ts') },
  ]
}

async function libraryFiles(): Promise<GeneratedFile[]> {
  const { PromptRequest, ParallelRequest, ChainRequest, SessionQuery, SessionChange, DriveRequest, ActRequest } =
    library
  const { ExecutionQuery, RunQuery, DiffQuery, ReportQuery, RunAnswer } = library
  const shapes = {
    validatePromptRequest: PromptRequest,
    validateParallelRequest: ParallelRequest,
    validateChainRequest: ChainRequest,
    validateSessionQuery: SessionQuery,
    validateSessionChange: SessionChange,
    validateDriveRequest: DriveRequest,
    validateActRequest: ActRequest,
    validateExecutionQuery: ExecutionQuery,
    validateRunQuery: RunQuery,
    validateDiffQuery: DiffQuery,
    validateReportQuery: ReportQuery,
    validateRunAnswer: RunAnswer,
  }
  const { PromptResult, ParallelResult, ChainResult, ComparisonResult, KeepResult } = results
  const types = libraryTypes({
    ...{ PromptRequest, ParallelRequest, ChainRequest, CompareRequest, KeepRequest },
    ...{ SessionQuery, SessionChange, DriveRequest, ActRequest },
    ...{ PromptEvent, ApprovalRequest, PromptResult, ParallelResult, ChainResult, ComparisonResult, KeepResult },
    ...{ Session, SessionPage, SessionTurn, RunVerdict, BudgetList, MessageSent },
    ...{ ExecutionQuery, Execution, ExecutionPage, ExecutionEvent },
    ...{
      RunQuery,
      DiffQuery,
      ReportQuery,
      RunAnswer,
      DrivenRun,
      DrivenRunPage,
      DrivenRunEvent,
      DrivenDiff,
      NightReports,
    },
    DroverConfig: asOneType(ConfigFile, 'Settings as in the config file. Every one may be left out.'),
  })
  return [
    { path: 'src/library/checks.generated.js', content: await compileShapes(shapes, { allProblems: true }) },
    { path: 'src/library/checks.generated.d.ts', content: declareShapes(shapes, '../kit/schema.ts') },
    { path: 'src/library/messages.generated.ts', content: types },
    { path: 'src/library/error-codes.generated.ts', content: await errorCodeTypes() },
  ]
}

/** The names of its sections are for the validator. */
function asOneType(shape: TSchema, description: string): TSchema {
  const unnamed = JSON.stringify(shape, (key, value) =>
    key === '$id' && typeof value === 'string' ? undefined : value,
  )
  return { ...JSON.parse(unnamed), description }
}

async function acpFiles(): Promise<GeneratedFile[]> {
  const shapes = {
    validateInitializeParams: acp.InitializeParams,
    validateNewSessionParams: acp.NewSessionParams,
    validateOpenSessionParams: acp.OpenSessionParams,
    validateSessionParams: acp.SessionParams,
    validateListSessionsParams: acp.ListSessionsParams,
    validatePromptParams: acp.PromptParams,
    validateSetModeParams: acp.SetModeParams,
    validateSetOptionParams: acp.SetOptionParams,
  }
  return [
    { path: 'src/acp/checks.generated.js', content: await compileShapes(shapes, { allProblems: false }) },
    { path: 'src/acp/checks.generated.d.ts', content: declareShapes(shapes, '../kit/schema.ts') },
  ]
}

async function hostFiles(): Promise<GeneratedFile[]> {
  const shapes = { validateOwnershipManifest: OwnershipManifest, validateChangeRecord: ChangeRecord }
  const texts = hostTexts()
  return [
    { path: 'src/hosts/checks.generated.js', content: await compileShapes(shapes, { allProblems: false }) },
    { path: 'src/hosts/checks.generated.d.ts', content: declareShapes(shapes, '../kit/schema.ts') },
    { path: 'src/hosts/texts.generated.js', content: textsModule(texts) },
    { path: 'src/hosts/texts.generated.d.ts', content: declareTexts(texts) },
  ]
}

function openApiFiles(): GeneratedFile[] {
  const document = openApiDocument()
  return [
    { path: 'schema/openapi.json', content: `${JSON.stringify(document, null, 2)}\n` },
    { path: 'src/http/meta/openapi.generated.js', content: openApiModule(document) },
    { path: 'src/http/meta/openapi.generated.d.ts', content: declareOpenApi() },
  ]
}

function readVersion(): string {
  return JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')).version
}
