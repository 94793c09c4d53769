export { openApiDocument } from './document.ts'
export { operationPages } from './pages/index.ts'
export { templateOf } from './parameters.ts'
export { exampleOfProblem, ProblemDocument } from './problem-document.ts'
