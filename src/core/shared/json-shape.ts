/**
 * The fields that the JSON of an object has, under their names in core and in this order. A field that is an object, or a list of objects,
 * has a shape of its own. Instants are RFC 3339 in UTC with milliseconds.
 */
export interface JsonShape {
  readonly [field: string]: true | JsonShape;
}
