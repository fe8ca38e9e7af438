"""The API as an OpenAPI document: what each address takes and answers, told beside the code that does it."""
