import { accessMutants } from './access-mutants.ts'
import { fairnessMutants } from './fairness-mutants.ts'
import { identityMutants } from './identity-mutants.ts'
import { type Mutant, mutants } from './mutant-table.ts'
import { operationMutants } from './operation-mutants.ts'
import { statementMutants } from './statement-mutants.ts'

/** In the order of docs/mutants.md. */
export const allMutants: readonly Mutant[] = [
  ...mutants,
  ...operationMutants,
  ...statementMutants,
  ...accessMutants,
  ...identityMutants,
  ...fairnessMutants,
]
