export { openApiDocument } from './document.ts'
export { operationPages } from './pages/index.ts'
export { templateOf } from '../operation.ts'
export { exampleOfProblem, ProblemDocument } from './problem-document.ts'
