import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import {
  type CustomValidator,
  createErrorHandler,
  type ErrorTransformer,
  getDefaultFormState,
  type RJSFSchema,
  type RJSFValidationError,
  toErrorSchema,
  type UiSchema,
  unwrapErrorHandler,
  type ValidationData,
  type ValidatorType,
  validationDataMerge,
} from "@rjsf/utils";
import { type FormFault, faultsOf } from "./faults.ts";

/**
 * Checks forms by an interpreter of JSON Schema: the usual validator writes a function for each schema and has the browser
 * evaluate it, which the content security policy forbids.
 */
export const validator: ValidatorType = {
  validateFormData(
    formData: unknown,
    schema: RJSFSchema,
    customValidate?: CustomValidator,
    transformErrors?: ErrorTransformer,
    uiSchema?: UiSchema,
  ): ValidationData<unknown> {
    const found = unitsOf(schema, formData).errors;
    const raw = faultsOf(found).map(asRjsf);
    const errors = transformErrors ? transformErrors(raw, uiSchema) : raw;
    const errorSchema = toErrorSchema(errors);
    if (!customValidate) return { errors, errorSchema };
    const filled = getDefaultFormState(validator, schema, formData, schema, true);
    const handled = customValidate(filled, createErrorHandler(filled), uiSchema);
    return validationDataMerge({ errors, errorSchema }, unwrapErrorHandler(handled));
  },

  isValid(schema, formData, rootSchema) {
    try {
      const { $defs, definitions } = rootSchema as Record<string, unknown>;
      return new Validator({ $defs, definitions, ...schema } as Schema, "2020-12").validate(formData).valid;
    } catch {
      return false;
    }
  },

  rawValidation(schema, formData) {
    const { errors, failure } = unitsOf(schema, formData);
    return { errors: errors as never[], ...(failure ? { validationError: failure } : {}) };
  },
};

function unitsOf(schema: object, value: unknown): { errors: OutputUnit[]; failure?: Error } {
  try {
    return { errors: new Validator(schema as Schema, "2020-12", false).validate(value).errors };
  } catch (error) {
    // A schema that this validator can't take: the server has the last word anyway.
    return { errors: [], failure: error as Error };
  }
}

function asRjsf({ path, message, keyword }: FormFault): RJSFValidationError {
  const property = path.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join("");
  return { name: keyword, property, message, stack: `${path.join(" › ")} ${message}`.trim(), schemaPath: "" };
}
