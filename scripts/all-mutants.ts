import { accessMutants } from './access-mutants.ts'
import { attachmentMutants } from './attachment-mutants.ts'
import { fairnessMutants } from './fairness-mutants.ts'
import { identityMutants } from './identity-mutants.ts'
import { logMutants } from './log-mutants.ts'
import { type Mutant, mutants } from './mutant-table.ts'
import { newcomerMutants } from './newcomer-mutants.ts'
import { notificationMutants } from './notification-mutants.ts'
import { operationMutants } from './operation-mutants.ts'
import { planningMutants } from './planning-mutants.ts'
import { projectMutants } from './project-mutants.ts'
import { readingMutants } from './reading-mutants.ts'
import { sessionMutants } from './session-mutants.ts'
import { statementMutants } from './statement-mutants.ts'
import { storeMutants } from './store-mutants.ts'
import { versionMutants } from './version-mutants.ts'
import { wireMutants } from './wire-mutants.ts'

/** The mutants in the order of docs/mutants.md. */
export const allMutants: readonly Mutant[] = [
  ...mutants,
  ...logMutants,
  ...operationMutants,
  ...projectMutants,
  ...statementMutants,
  ...versionMutants,
  ...accessMutants,
  ...readingMutants,
  ...identityMutants,
  ...sessionMutants,
  ...wireMutants,
  ...fairnessMutants,
  ...storeMutants,
  ...newcomerMutants,
  ...notificationMutants,
  ...planningMutants,
  ...attachmentMutants,
]
