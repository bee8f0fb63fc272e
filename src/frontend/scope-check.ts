import type { Module } from './ast.js';
import type { Diagnostic } from './diagnostic.js';
import type { SyntaxDetails } from './syntax-details.js';
export function checkScopes(_module: Module, _details: SyntaxDetails): readonly Diagnostic[] {
  return [];
}
