// The table of error codes: one row for each code, the single source for names, HTTP status,
// exit code and standing advice. Everything that reports an error derives from it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace rex {

enum class ErrorCode : uint8_t {
  // Input text and JSON.
  kJsonInvalid,
  kEncodingInvalid,
  kTextMissing,
  kTextNotString,
  kTextTooLong,
  // Schema.
  kSchemaMissing,
  kSchemaEmpty,
  kSchemaBadValue,
  kSchemaDuplicateKey,
  kSchemaTooDeep,
  kSchemaRef,
  kSchemaTaskMismatch,
  kLabelEmpty,
  kLabelTooLong,
  kTooManyLabels,
  // Request fields.
  kOptionRange,
  kOptionType,
  kFieldConflict,
  kFieldUnknown,
  kTaskUnknown,
  // Labelled samples.
  kSampleInvalid,
  // Model folder and files.
  kFileNotFound,
  kFileUnreadable,
  kFileUnwritable,
  kConfigInvalid,
  kConfigUnsupported,
  kVocabularyInvalid,
  kCheckpointInvalid,
  kCheckpointUnsafe,
  kCheckpointMismatch,
  // Running.
  kWorkTooLarge,
  kMemoryExhausted,
  kCancelled,
  // The service: what a client may do wrong before its request is a request for a task.
  kRequestInvalid,
  kBodyEmpty,
  kBodyTooLarge,
  kQueryInvalid,
  kBatchEmpty,
  kBatchTooLarge,
  kKeyMissing,
  kKeyInvalid,
  kForbidden,
  kDebugDisabled,
  kRouteUnknown,
  kModelUnknown,
  kPresetUnknown,
  kMethodNotAllowed,
  kNotAcceptable,
  kContentType,
  kRequestSlow,
  // The service: what it cannot do now.
  kRateLimit,
  kQueueFull,
  kGpuMemoryExhausted,
  kNotReady,
  kDraining,
  kQueueTimeout,
  kRequestTimeout,
  // The service: what stops its start.
  kSettingInvalid,
  kSettingUnknown,
  kAddressInUse,
  kTlsInvalid,
  kUsage,
  kInternal,
};

struct ErrorCodeRow {
  ErrorCode code;
  std::string_view name;  // stable, for programs
  int http_status;        // answer of the HTTP service
  int exit_code;  // answer of the command line: 64 usage, 65 data, 66 input, 70 bug, 74 I/O,
                  // 69 unavailable, 75 later, 77 no permission, 78 settings
  std::string_view title_zh;  // what went wrong, Chinese; the message says the rest in English
  std::string_view advice;    // what to do next, English
  std::string_view advice_zh;
};

// Rows stand in the order of the enumerators; error_codes_test checks it.
// clang-format off
inline constexpr std::array kErrorCodes = {
    ErrorCodeRow{ErrorCode::kJsonInvalid, "JSON_INVALID", 400, 65, "不是合法的 JSON", "send valid JSON", "请发送合法的 JSON"},
    ErrorCodeRow{ErrorCode::kEncodingInvalid, "ENCODING_INVALID", 400, 65, "不是合法的 UTF-8", "send UTF-8; convert other encodings first, for example with iconv", "请使用 UTF-8；其他编码请先转换，例如用 iconv"},
    ErrorCodeRow{ErrorCode::kTextMissing, "TEXT_MISSING", 422, 65, "缺少文本", "give a text", "请提供文本"},
    ErrorCodeRow{ErrorCode::kTextNotString, "TEXT_NOT_STRING", 422, 65, "文本不是字符串", "give the text as a JSON string", "文本必须是 JSON 字符串"},
    ErrorCodeRow{ErrorCode::kTextTooLong, "TEXT_TOO_LONG", 413, 65, "文本过长", "split the text or raise the limit", "请拆分文本或提高上限"},
    ErrorCodeRow{ErrorCode::kSchemaMissing, "SCHEMA_MISSING", 422, 65, "缺少 schema", "give a schema, for example {\"人物\": null}", "请提供 schema，例如 {\"人物\": null}"},
    ErrorCodeRow{ErrorCode::kSchemaEmpty, "SCHEMA_EMPTY", 422, 65, "schema 为空", "name at least one label, for example {\"人物\": null}", "至少写一个标签，例如 {\"人物\": null}"},
    ErrorCodeRow{ErrorCode::kSchemaBadValue, "SCHEMA_BAD_VALUE", 422, 65, "schema 中的值不合要求", "write a label as {\"人物\": null} or nest further labels below it", "标签应写作 {\"人物\": null}，或在其下嵌套下级标签"},
    ErrorCodeRow{ErrorCode::kSchemaDuplicateKey, "SCHEMA_DUPLICATE_KEY", 422, 65, "schema 中有重复的键", "remove the repeated key", "请删除重复的键"},
    ErrorCodeRow{ErrorCode::kSchemaTooDeep, "SCHEMA_TOO_DEEP", 422, 65, "schema 层数过多", "use fewer levels", "请减少层数"},
    ErrorCodeRow{ErrorCode::kSchemaRef, "SCHEMA_REF", 422, 65, "schema 的引用无效", "refer to an entry of $defs in the same document", "请引用同一文档 $defs 中的条目"},
    ErrorCodeRow{ErrorCode::kSchemaTaskMismatch, "SCHEMA_TASK_MISMATCH", 422, 65, "schema 与任务不符", "give the schema the shape that the task needs", "请使 schema 符合任务要求的形状"},
    ErrorCodeRow{ErrorCode::kLabelEmpty, "LABEL_EMPTY", 422, 65, "标签为空", "give the label a name", "标签不能为空"},
    ErrorCodeRow{ErrorCode::kLabelTooLong, "LABEL_TOO_LONG", 422, 65, "标签过长", "shorten the label", "请缩短标签"},
    ErrorCodeRow{ErrorCode::kTooManyLabels, "TOO_MANY_LABELS", 413, 65, "标签过多", "split the schema or raise the limit", "请拆分 schema 或提高上限"},
    ErrorCodeRow{ErrorCode::kOptionRange, "OPTION_RANGE", 422, 64, "值超出范围", "use a value in the stated range", "请使用规定范围内的值"},
    ErrorCodeRow{ErrorCode::kOptionType, "OPTION_TYPE", 422, 64, "值的类型不对", "use a value of the stated type", "请使用规定类型的值"},
    ErrorCodeRow{ErrorCode::kFieldConflict, "FIELD_CONFLICT", 422, 64, "字段互相冲突", "give only one of the fields", "这些字段只能给出其中一个"},
    ErrorCodeRow{ErrorCode::kFieldUnknown, "UNKNOWN_FIELD", 422, 65, "没有这个字段", "remove the field or correct its name", "请删除该字段或更正其名称"},
    ErrorCodeRow{ErrorCode::kTaskUnknown, "TASK_UNKNOWN", 400, 64, "没有这种任务", "use one of the eleven tasks", "请使用十一种任务之一"},
    ErrorCodeRow{ErrorCode::kSampleInvalid, "SAMPLE_INVALID", 422, 65, "标注样本有误", "give labels as \"info_list\": [[{\"type\": …, \"span\": …, \"offset\": [start, end]}]]", "标注应写作 \"info_list\": [[{\"type\": …, \"span\": …, \"offset\": [start, end]}]]"},
    ErrorCodeRow{ErrorCode::kFileNotFound, "FILE_NOT_FOUND", 500, 66, "找不到文件", "check the path", "请检查路径"},
    ErrorCodeRow{ErrorCode::kFileUnreadable, "FILE_UNREADABLE", 500, 74, "文件无法读取", "check permissions and the disk", "请检查权限和磁盘"},
    ErrorCodeRow{ErrorCode::kFileUnwritable, "FILE_UNWRITABLE", 500, 74, "文件无法写入", "check permissions and free space", "请检查权限和剩余空间"},
    ErrorCodeRow{ErrorCode::kConfigInvalid, "CONFIG_INVALID", 500, 65, "模型配置有误", "restore config.json from the model's publisher", "请从模型发布处恢复 config.json"},
    ErrorCodeRow{ErrorCode::kConfigUnsupported, "CONFIG_UNSUPPORTED", 500, 65, "不支持的模型配置", "use a RexUniNLU checkpoint (DeBERTa-v2 with a token-pair head)", "请使用 RexUniNLU 检查点（DeBERTa-v2 加词对打分头）"},
    ErrorCodeRow{ErrorCode::kVocabularyInvalid, "VOCABULARY_INVALID", 500, 65, "词表有误", "restore vocab.txt and tokenizer_config.json from the model's publisher", "请从模型发布处恢复 vocab.txt 和 tokenizer_config.json"},
    ErrorCodeRow{ErrorCode::kCheckpointInvalid, "CHECKPOINT_INVALID", 500, 65, "检查点文件已损坏", "download the file again and compare its size", "请重新下载该文件并核对大小"},
    ErrorCodeRow{ErrorCode::kCheckpointUnsafe, "CHECKPOINT_UNSAFE", 500, 65, "检查点文件不安全", "do not use this file; take the checkpoint from its publisher", "请勿使用此文件；请从发布处获取检查点"},
    ErrorCodeRow{ErrorCode::kCheckpointMismatch, "CHECKPOINT_MISMATCH", 500, 65, "权重与配置不符", "use weights that belong to this config.json", "请使用与此 config.json 配套的权重"},
    ErrorCodeRow{ErrorCode::kWorkTooLarge, "WORK_TOO_LARGE", 413, 65, "工作量过大", "shorten the text, use fewer labels, or raise the limit", "请缩短文本、减少标签或提高上限"},
    ErrorCodeRow{ErrorCode::kMemoryExhausted, "MEMORY_EXHAUSTED", 503, 69, "内存不足", "lower the token budget or free memory", "请降低 token 预算或释放内存"},
    ErrorCodeRow{ErrorCode::kCancelled, "CANCELLED", 499, 130, "已取消", "the caller cancelled the work", "调用方取消了请求"},
    ErrorCodeRow{ErrorCode::kRequestInvalid, "REQUEST_INVALID", 400, 65, "不是合法的 HTTP 请求", "send a valid HTTP/1.1 request", "请发送合法的 HTTP/1.1 请求"},
    ErrorCodeRow{ErrorCode::kBodyEmpty, "BODY_EMPTY", 400, 65, "请求体为空", "send a JSON object as body", "请在请求体中发送 JSON 对象"},
    ErrorCodeRow{ErrorCode::kBodyTooLarge, "BODY_TOO_LARGE", 413, 65, "请求体过大", "send less at a time or raise server.max_body_bytes", "请减少单次发送的内容或提高 server.max_body_bytes"},
    ErrorCodeRow{ErrorCode::kQueryInvalid, "QUERY_INVALID", 400, 64, "查询参数有误", "correct the query parameter", "请更正查询参数"},
    ErrorCodeRow{ErrorCode::kBatchEmpty, "BATCH_EMPTY", 400, 65, "批次为空", "send at least one text", "请至少发送一条文本"},
    ErrorCodeRow{ErrorCode::kBatchTooLarge, "BATCH_TOO_LARGE", 413, 65, "批次过大", "split the batch or raise limits.max_batch_texts", "请拆分批次或提高 limits.max_batch_texts"},
    ErrorCodeRow{ErrorCode::kKeyMissing, "KEY_MISSING", 401, 77, "缺少密钥", "send Authorization: Bearer KEY or X-API-Key: KEY", "请发送 Authorization: Bearer KEY 或 X-API-Key: KEY"},
    ErrorCodeRow{ErrorCode::kKeyInvalid, "KEY_INVALID", 401, 77, "密钥无效", "use a key of this service", "请使用本服务的有效密钥"},
    ErrorCodeRow{ErrorCode::kForbidden, "FORBIDDEN", 403, 77, "没有权限", "use a key with the role that this route needs", "请使用具有该接口所需角色的密钥"},
    ErrorCodeRow{ErrorCode::kDebugDisabled, "DEBUG_DISABLED", 403, 77, "调试模式已关闭", "set debug.enabled", "请设置 debug.enabled"},
    ErrorCodeRow{ErrorCode::kRouteUnknown, "ROUTE_UNKNOWN", 404, 64, "没有这个接口", "GET /openapi.json lists the routes", "GET /openapi.json 列出所有接口"},
    ErrorCodeRow{ErrorCode::kModelUnknown, "MODEL_UNKNOWN", 404, 64, "没有这个模型", "use rexuninlu or rexuninlu-TASK", "请使用 rexuninlu 或 rexuninlu-任务名"},
    ErrorCodeRow{ErrorCode::kPresetUnknown, "PRESET_UNKNOWN", 404, 64, "没有这个预设", "GET /api/presets lists the presets", "GET /api/presets 列出所有预设"},
    ErrorCodeRow{ErrorCode::kMethodNotAllowed, "METHOD_NOT_ALLOWED", 405, 64, "不支持的请求方法", "use the method in the Allow header", "请使用 Allow 头中的方法"},
    ErrorCodeRow{ErrorCode::kNotAcceptable, "NOT_ACCEPTABLE", 406, 64, "无法提供所要求的格式", "accept application/json", "请接受 application/json"},
    ErrorCodeRow{ErrorCode::kContentType, "CONTENT_TYPE", 415, 64, "不支持的内容类型", "send application/json", "请发送 application/json"},
    ErrorCodeRow{ErrorCode::kRequestSlow, "REQUEST_SLOW", 408, 75, "请求发送过慢", "send the request without pauses", "请连续发送请求"},
    ErrorCodeRow{ErrorCode::kRateLimit, "RATE_LIMIT", 429, 75, "请求过于频繁", "send fewer requests; see Retry-After", "请降低请求频率；参见 Retry-After"},
    ErrorCodeRow{ErrorCode::kQueueFull, "QUEUE_FULL", 429, 75, "队列已满", "try again after Retry-After", "请在 Retry-After 之后重试"},
    ErrorCodeRow{ErrorCode::kGpuMemoryExhausted, "GPU_MEMORY_EXHAUSTED", 503, 75, "显存不足", "try again after Retry-After", "请在 Retry-After 之后重试"},
    ErrorCodeRow{ErrorCode::kNotReady, "NOT_READY", 503, 75, "服务尚未就绪", "wait until /readyz answers 200", "请等到 /readyz 返回 200"},
    ErrorCodeRow{ErrorCode::kDraining, "DRAINING", 503, 75, "服务正在停止", "send the request to another instance", "请将请求发送到其他实例"},
    ErrorCodeRow{ErrorCode::kQueueTimeout, "QUEUE_TIMEOUT", 503, 75, "排队超时", "try again after Retry-After", "请在 Retry-After 之后重试"},
    ErrorCodeRow{ErrorCode::kRequestTimeout, "REQUEST_TIMEOUT", 503, 75, "请求超时", "allow more time with timeout_ms, or send less", "请用 timeout_ms 放宽时间，或减少内容"},
    ErrorCodeRow{ErrorCode::kSettingInvalid, "SETTING_INVALID", 500, 78, "设置的值无效", "correct the setting; config.yaml in the repository explains each", "请更正该设置；仓库中的 config.yaml 有逐项说明"},
    ErrorCodeRow{ErrorCode::kSettingUnknown, "SETTING_UNKNOWN", 500, 78, "没有这项设置", "remove the setting or correct its name", "请删除该设置或更正其名称"},
    ErrorCodeRow{ErrorCode::kAddressInUse, "ADDRESS_IN_USE", 500, 69, "地址无法监听", "stop the other program or choose another port", "请停止占用端口的程序或换一个端口"},
    ErrorCodeRow{ErrorCode::kTlsInvalid, "TLS_INVALID", 500, 78, "证书或私钥无效", "check server.tls.cert_file and server.tls.key_file", "请检查 server.tls.cert_file 和 server.tls.key_file"},
    ErrorCodeRow{ErrorCode::kUsage, "USAGE", 400, 64, "用法错误", "see --help", "请查看 --help"},
    ErrorCodeRow{ErrorCode::kInternal, "INTERNAL", 500, 70, "内部错误", "this is a fault of the program; please report it", "这是程序的缺陷，请报告"},
};
// clang-format on

// The row of a code. Constant time.
constexpr const ErrorCodeRow& row_of(ErrorCode code) {
  return kErrorCodes[static_cast<size_t>(code)];
}

}  // namespace rex
