import { signal } from '@preact/signals'
import type { RecordOf } from '../api/api.ts'

type Stage = RecordOf<'workflow'>

const keyOf = (projectId: string) => `tracker.done.${projectId}`
/** Read again after a choice by the component that shows it. */
const choices = signal(0)

/** Names of a stage for finished work, in several languages. */
const doneNames =
  /^(done|finished|complete[d]?|closed|feito|conclu[ií]d[oa]s?|pronto|terminad[oa]|erledigt|fertig)$/i

/** Which stage of a project means done: the one chosen in this browser, else one with such a name, else the last. */
export function doneStageOf(projectId: string, stages: readonly Stage[]): string | undefined {
  void choices.value
  const chosen = localStorage.getItem(keyOf(projectId))
  const found =
    stages.find(({ id }) => id === chosen) ??
    stages.find(({ name }) => doneNames.test(name.trim())) ??
    stages.at(-1)
  return found?.id
}

export function chooseDoneStage(projectId: string, stageId: string): void {
  localStorage.setItem(keyOf(projectId), stageId)
  choices.value += 1
}
