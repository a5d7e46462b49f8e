import { endSignIns } from '../accounts/end-sign-ins.ts'
import { administratorsOnly } from '../model/access-rule.ts'
import { required, requiredOnCreate, secret } from '../model/field.ts'
import { newPassword, text } from '../model/field-kinds.ts'
import { loginCharactersMax, nameCharactersMax } from '../model/text-limits.ts'
import { defineResource } from './define-resource.ts'
import {
  endSignInsWhenCredentialsChange,
  hashPassword,
  refuseGuessablePassword,
  refuseStoredLoginAsPassword,
} from './user-rules.ts'

export const user = defineResource({
  name: 'user',
  edition: 'v1',
  table: 'users',
  fields: {
    name: required(2, text({ max: nameCharactersMax })),
    login: requiredOnCreate(3, text({ max: loginCharactersMax })),
    password: secret(requiredOnCreate(4, newPassword)),
  },
  access: administratorsOnly,
  checks: [refuseGuessablePassword],
  rules: {
    prepare: hashPassword,
    beforeUpdate: refuseStoredLoginAsPassword,
    afterUpdate: endSignInsWhenCredentialsChange,
    afterRemove: endSignIns,
  },
})
