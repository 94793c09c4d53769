export { openApiDocument } from '#/openapi/document.ts'
export { operationPages } from '#/openapi/pages/index.ts'
export { templateOf } from '#/operation.ts'
export { exampleOfProblem, ProblemDocument } from '#/openapi/problem-document.ts'
