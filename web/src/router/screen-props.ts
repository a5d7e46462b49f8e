import type { PathParameters } from './match-path.ts'

export interface ScreenProps {
  readonly parameters: PathParameters
}
