import type { Validate } from '../../kit/schema.ts'

export declare const validateSessionQuery: Validate
export declare const validateSessionDetailQuery: Validate
export declare const validateSessionEditRequest: Validate
export declare const validateExecutionQuery: Validate
export declare const validateDecisionBody: Validate
export declare const validateEventsQuery: Validate
export declare const validateUsageQuery: Validate
export declare const validateLoginBody: Validate
export declare const validatePushBody: Validate
export declare const validateDiffQuery: Validate
export declare const validateReportQuery: Validate
export declare const validateRunQuery: Validate
export declare const validateStartBody: Validate
export declare const validateAnswerBody: Validate
export declare const validateConfirmBody: Validate
export declare const validateSkipBody: Validate
export declare const validateFollowUpBody: Validate
export declare const validateMergeBody: Validate
export declare const validateMoveBody: Validate
export declare const validateResumeBody: Validate
export declare const validateChatRequest: Validate
export declare const validateResponseRequest: Validate
export declare const validateResponseQuery: Validate
export declare const validateInputItemsQuery: Validate
export declare const validateMessageRequest: Validate
export declare const validateCountTokensRequest: Validate
