import type { Validate } from '../kit/schema.ts'

export declare const validatePromptTool: Validate
export declare const validateCompareKeepTool: Validate
export declare const validateCompareTool: Validate
export declare const validateResumeTool: Validate
export declare const validateExecutionGetTool: Validate
export declare const validateExecutionCancelTool: Validate
export declare const validateRunStartTool: Validate
export declare const validateRunStatusTool: Validate
export declare const validateRunAnswerTool: Validate
