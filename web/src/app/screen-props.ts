import type { PathParameters } from '../router/match-path.ts'

export interface ScreenProps {
  readonly parameters: PathParameters
}
