#include "server/openapi_schemas.h"

namespace rex::server {

Json openapi_schemas() {
  static constexpr const char* kSchemas = R"json({
  "Object": {"type": "object", "additionalProperties": true},
  "Schema": {
    "description": "what to look for: a tree of labels, a list of labels, or one label",
    "oneOf": [
      {"type": "object", "additionalProperties": true, "minProperties": 1},
      {"type": "array", "items": {}, "minItems": 1},
      {"type": "string", "minLength": 1}
    ]
  },
  "Options": {
    "type": "object",
    "properties": {
      "threshold": {"type": "number", "minimum": 0, "maximum": 1},
      "confidence_threshold": {"type": "number", "minimum": 0, "maximum": 1},
      "thresholds": {"type": "object", "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1}},
      "multi_label_threshold": {"type": "number", "minimum": 0, "maximum": 1},
      "max_span_num": {"type": "integer", "minimum": 0, "maximum": 1000000},
      "max_length": {"type": "integer", "minimum": 16, "maximum": 512},
      "stride": {"type": "integer", "minimum": 0, "maximum": 256},
      "overlap": {"type": "string", "enum": ["all", "longest", "score"]},
      "partial_paths": {"type": "boolean"},
      "allow_empty": {"type": "boolean"},
      "behaviour": {"type": "string", "enum": ["standard", "reference"]},
      "implicit_aspect": {"type": "boolean"},
      "event_suffix": {"type": "string", "enum": ["off", "auto"]},
      "top_k": {"type": "integer", "minimum": 0, "maximum": 1000000},
      "min_confidence": {"type": "number", "minimum": 0, "maximum": 1},
      "coref_max_distance": {"type": "integer", "minimum": 0, "maximum": 1000000},
      "label_template": {"type": "string"},
      "schema_validation": {"type": "boolean"},
      "profile": {"type": "string", "enum": ["default", "articles"]},
      "include": {"type": "array", "items": {"type": "string", "enum": ["timing", "confidence", "offset"]}},
      "precision": {"type": "string"},
      "timeout_ms": {"type": "integer", "minimum": 1, "maximum": 86400000},
      "priority": {"type": "integer", "minimum": 0, "maximum": 2}
    }
  },
  "TaskRequest": {
    "type": "object",
    "properties": {
      "text": {"type": "string"},
      "texts": {"type": "array", "items": {}},
      "schema": {"$ref": "#/components/schemas/Schema"},
      "labels": {"type": "array", "items": {"type": "string"}},
      "preset": {"type": "string"},
      "options": {"$ref": "#/components/schemas/Options"},
      "id": {"type": "string"},
      "strict": {"type": "boolean"},
      "pronoun": {},
      "candidates": {"type": "array", "items": {}},
      "candidate_schema": {"$ref": "#/components/schemas/Schema"},
      "text1": {"type": "string"},
      "text2": {"type": "string"},
      "mode": {"type": "string"},
      "symmetric": {"type": "boolean"},
      "question": {"type": "string"},
      "questions": {"type": "array", "items": {"type": "string"}},
      "choices": {"type": "array", "items": {"type": "string"}},
      "multi": {"type": "boolean"},
      "stop_early": {"type": "boolean"},
      "level": {"type": "string"}
    }
  },
  "AnalyzeRequest": {
    "type": "object",
    "properties": {
      "text": {"type": "string"},
      "task": {"type": "string"},
      "tasks": {},
      "schema": {"$ref": "#/components/schemas/Schema"},
      "labels": {"type": "array", "items": {"type": "string"}},
      "options": {"$ref": "#/components/schemas/Options"},
      "strict": {"type": "boolean"}
    }
  },
  "BatchRequest": {
    "type": "object",
    "required": ["texts"],
    "properties": {
      "task": {"type": "string"},
      "texts": {"type": "array", "minItems": 1, "items": {}},
      "schema": {"$ref": "#/components/schemas/Schema"},
      "labels": {"type": "array", "items": {"type": "string"}},
      "options": {"$ref": "#/components/schemas/Options"},
      "strict": {"type": "boolean"}
    }
  },
  "ValidateRequest": {
    "type": "object",
    "required": ["schema"],
    "properties": {"schema": {"$ref": "#/components/schemas/Schema"}, "task": {"type": "string"}, "strict": {"type": "boolean"}}
  },
  "TokenizeRequest": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}},
  "PredictRequest": {
    "type": "object",
    "properties": {"text": {"type": "string"}, "input": {"type": "string"}, "task": {"type": "string"}, "schema": {"$ref": "#/components/schemas/Schema"}}
  },
  "NluRequest": {
    "type": "object",
    "required": ["text"],
    "properties": {
      "text": {"type": "string"},
      "labels": {"type": "array", "items": {"type": "string"}},
      "intents": {"type": "array", "items": {"type": "string"}},
      "slots": {"type": "array", "items": {"type": "string"}}
    }
  },
  "V2Tensor": {
    "type": "object",
    "required": ["name", "shape", "datatype", "data"],
    "properties": {
      "name": {"type": "string"},
      "shape": {"type": "array", "items": {"type": "integer"}},
      "datatype": {"type": "string"},
      "data": {"type": "array", "items": {}}
    }
  },
  "V2Request": {
    "type": "object",
    "required": ["inputs"],
    "properties": {
      "id": {"type": "string"},
      "parameters": {"type": "object", "additionalProperties": true},
      "inputs": {"type": "array", "minItems": 1, "items": {"$ref": "#/components/schemas/V2Tensor"}}
    }
  },
  "Step": {
    "type": "object",
    "required": ["type", "span", "offset"],
    "properties": {
      "type": {"type": "string"},
      "span": {"type": "string", "nullable": true},
      "offset": {"type": "array", "nullable": true, "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
      "confidence": {"type": "number"}
    }
  },
  "Output": {
    "description": "chains of steps, as the original gives them; offsets count code points, end exclusive",
    "type": "array",
    "items": {"type": "array", "items": {"$ref": "#/components/schemas/Step"}}
  },
  "Warning": {
    "type": "object",
    "required": ["code", "message", "param"],
    "properties": {"code": {"type": "string"}, "message": {"type": "string"}, "param": {"type": "string"}}
  },
  "TaskAnswer": {
    "type": "object",
    "required": ["request_id", "task", "model", "output", "result", "usage", "warnings"],
    "properties": {
      "request_id": {"type": "string"},
      "task": {"type": "string"},
      "model": {"type": "object", "additionalProperties": true},
      "output": {"$ref": "#/components/schemas/Output"},
      "result": {"type": "object", "additionalProperties": true},
      "usage": {"type": "object", "additionalProperties": {"type": "integer"}},
      "warnings": {"type": "array", "items": {"$ref": "#/components/schemas/Warning"}},
      "debug": {"type": "object", "additionalProperties": true}
    }
  },
  "TaskRouteAnswer": {
    "description": "one answer; with \"texts\" in the request, a batch of them",
    "oneOf": [{"$ref": "#/components/schemas/TaskAnswer"}, {"$ref": "#/components/schemas/BatchAnswer"}]
  },
  "AnalyzeAnswer": {
    "type": "object",
    "required": ["request_id"],
    "properties": {
      "request_id": {"type": "string"},
      "results": {"type": "object", "additionalProperties": true}
    }
  },
  "BatchAnswer": {
    "type": "object",
    "required": ["request_id", "results", "summary"],
    "properties": {
      "request_id": {"type": "string"},
      "results": {"type": "array", "items": {"type": "object", "additionalProperties": true}},
      "summary": {"type": "object", "properties": {"ok": {"type": "integer"}, "failed": {"type": "integer"}}}
    }
  },
  "PredictAnswer": {
    "type": "object",
    "required": ["output"],
    "properties": {"output": {"$ref": "#/components/schemas/Output"}}
  },
  "V2Answer": {
    "type": "object",
    "required": ["model_name", "model_version", "outputs"],
    "properties": {
      "model_name": {"type": "string"},
      "model_version": {"type": "string"},
      "id": {"type": "string"},
      "outputs": {"type": "array", "items": {"$ref": "#/components/schemas/V2Tensor"}}
    }
  },
  "Error": {
    "type": "object",
    "required": ["error", "error_zh", "error_type", "code", "status", "param", "hint", "hint_zh", "request_id"],
    "properties": {
      "error": {"type": "string"},
      "error_zh": {"type": "string"},
      "error_type": {"type": "string", "enum": ["bad_request", "auth", "not_found", "too_large", "validation", "overloaded", "internal", "unavailable"]},
      "code": {"type": "string"},
      "status": {"type": "integer"},
      "param": {"type": "string"},
      "hint": {"type": "string"},
      "hint_zh": {"type": "string"},
      "details": {"type": "object", "additionalProperties": true},
      "request_id": {"type": "string"}
    }
  }
})json";
  return Json::parse(kSchemas);
}

}  // namespace rex::server
