// Generated from the declarations of the resources by npm run contract; do not edit.

#nullable enable

using FastEndpoints;

namespace GrpcServer.Contracts.Records
{
    /// <summary>One organization, as it is stored.</summary>
    public sealed class OrganizationRecord
    {
        /// <summary>Its id, a UUID.</summary>
        public Guid Id { get; set; }

        /// <summary>The name. Text of at most 200 characters.</summary>
        public string Name { get; set; } = "";

        /// <summary>Details. Text of at most 2000 characters. Absent if there is none.</summary>
        public string? Description { get; set; }

        /// <summary>The time of its creation.</summary>
        public DateTime? CreatedAt { get; set; }

        /// <summary>The time of its last change; absent if it was never changed.</summary>
        public DateTime? UpdatedAt { get; set; }

        /// <summary>The time of its removal; absent while it is active.</summary>
        public DateTime? DeletedAt { get; set; }

        /// <summary>False if the record is removed.</summary>
        public bool Active { get; set; }
    }

    /// <summary>Selects, sorts and pages the rows of a list.</summary>
    public sealed class Pagination
    {
        /// <summary>The page, from 1 to 21474836; 1 by default.</summary>
        public int PageNumber { get; set; } = 1;

        /// <summary>Rows on a page, 1 to 100; 10 by default.</summary>
        public int PageSize { get; set; } = 10;

        /// <summary>A field of the record, in upper or lower case; anything else sorts by id.</summary>
        public string? SortColumn { get; set; }

        /// <summary>ASC or DESC, in upper or lower case; ASC by default.</summary>
        public string? SortOrder { get; set; }

        /// <summary>Only rows whose name, description, login or text contains this text, in upper or lower case; at most 128 characters. Matched literally.</summary>
        public string? Search { get; set; }

        /// <summary>Only rows with these ids: up to 100, separated by commas.</summary>
        public string? Ids { get; set; }

        /// <summary>Only rows with this OrganizationId; rejected if the resource has no such filter.</summary>
        public string? OrganizationId { get; set; }

        /// <summary>Only rows with this ProjectId; rejected if the resource has no such filter.</summary>
        public string? ProjectId { get; set; }

        /// <summary>Only rows with this AssignmentId; rejected if the resource has no such filter.</summary>
        public string? AssignmentId { get; set; }

        /// <summary>Only rows with this UserId; rejected if the resource has no such filter.</summary>
        public string? UserId { get; set; }

        /// <summary>Only rows with this WorkflowId; rejected if the resource has no such filter.</summary>
        public string? WorkflowId { get; set; }

        /// <summary>A date, or a date and time; without an offset it is UTC.</summary>
        public string? DateFrom { get; set; }

        /// <summary>Like date_from; the range does not include it.</summary>
        public string? DateTo { get; set; }
    }

    /// <summary>One page of a list of organizations.</summary>
    public sealed class OrganizationPage
    {
        /// <summary>The rows of this page.</summary>
        public List<GrpcServer.Contracts.Records.OrganizationRecord> Data { get; set; } = new();

        /// <summary>Rows on all pages.</summary>
        public int TotalCount { get; set; }

        /// <summary>This page, counted from 1.</summary>
        public int PageNumber { get; set; }

        /// <summary>Rows on a page.</summary>
        public int PageSize { get; set; }
    }

    /// <summary>One workflow, as it is stored.</summary>
    public sealed class WorkflowRecord
    {
        /// <summary>Its id, a UUID.</summary>
        public Guid Id { get; set; }

        /// <summary>The name. Text of at most 200 characters.</summary>
        public string Name { get; set; } = "";

        /// <summary>The position among the stages, in ascending order. A whole number from 0 to 2147483647.</summary>
        public int Order { get; set; }

        /// <summary>The time of its creation.</summary>
        public DateTime? CreatedAt { get; set; }

        /// <summary>The time of its last change; absent if it was never changed.</summary>
        public DateTime? UpdatedAt { get; set; }

        /// <summary>The time of its removal; absent while it is active.</summary>
        public DateTime? DeletedAt { get; set; }

        /// <summary>False if the record is removed.</summary>
        public bool Active { get; set; }
    }

    /// <summary>One page of a list of workflows.</summary>
    public sealed class WorkflowPage
    {
        /// <summary>The rows of this page.</summary>
        public List<GrpcServer.Contracts.Records.WorkflowRecord> Data { get; set; } = new();

        /// <summary>Rows on all pages.</summary>
        public int TotalCount { get; set; }

        /// <summary>This page, counted from 1.</summary>
        public int PageNumber { get; set; }

        /// <summary>Rows on a page.</summary>
        public int PageSize { get; set; }
    }

    /// <summary>One assignment type, as it is stored.</summary>
    public sealed class AssignmentTypeRecord
    {
        /// <summary>Its id, a UUID.</summary>
        public Guid Id { get; set; }

        /// <summary>The name. Text of at most 200 characters.</summary>
        public string Name { get; set; } = "";

        /// <summary>The time of its creation.</summary>
        public DateTime? CreatedAt { get; set; }

        /// <summary>The time of its last change; absent if it was never changed.</summary>
        public DateTime? UpdatedAt { get; set; }

        /// <summary>The time of its removal; absent while it is active.</summary>
        public DateTime? DeletedAt { get; set; }

        /// <summary>False if the record is removed.</summary>
        public bool Active { get; set; }
    }

    /// <summary>One page of a list of assignment types.</summary>
    public sealed class AssignmentTypePage
    {
        /// <summary>The rows of this page.</summary>
        public List<GrpcServer.Contracts.Records.AssignmentTypeRecord> Data { get; set; } = new();

        /// <summary>Rows on all pages.</summary>
        public int TotalCount { get; set; }

        /// <summary>This page, counted from 1.</summary>
        public int PageNumber { get; set; }

        /// <summary>Rows on a page.</summary>
        public int PageSize { get; set; }
    }

    /// <summary>One impediment, as it is stored.</summary>
    public sealed class ImpedimentRecord
    {
        /// <summary>Its id, a UUID.</summary>
        public Guid Id { get; set; }

        /// <summary>The name. Text of at most 200 characters.</summary>
        public string Name { get; set; } = "";

        /// <summary>The time of its creation.</summary>
        public DateTime? CreatedAt { get; set; }

        /// <summary>The time of its last change; absent if it was never changed.</summary>
        public DateTime? UpdatedAt { get; set; }

        /// <summary>The time of its removal; absent while it is active.</summary>
        public DateTime? DeletedAt { get; set; }

        /// <summary>False if the record is removed.</summary>
        public bool Active { get; set; }
    }

    /// <summary>One page of a list of impediments.</summary>
    public sealed class ImpedimentPage
    {
        /// <summary>The rows of this page.</summary>
        public List<GrpcServer.Contracts.Records.ImpedimentRecord> Data { get; set; } = new();

        /// <summary>Rows on all pages.</summary>
        public int TotalCount { get; set; }

        /// <summary>This page, counted from 1.</summary>
        public int PageNumber { get; set; }

        /// <summary>Rows on a page.</summary>
        public int PageSize { get; set; }
    }

    /// <summary>One user, as it is stored.</summary>
    public sealed class UserRecord
    {
        /// <summary>Its id, a UUID.</summary>
        public Guid Id { get; set; }

        /// <summary>The display name. Text of at most 200 characters.</summary>
        public string Name { get; set; } = "";

        /// <summary>The sign-in name, unique among active accounts regardless of case. Text of at most 256 characters.</summary>
        public string Login { get; set; } = "";

        /// <summary>The time of its creation.</summary>
        public DateTime? CreatedAt { get; set; }

        /// <summary>The time of its last change; absent if it was never changed.</summary>
        public DateTime? UpdatedAt { get; set; }

        /// <summary>The time of its removal; absent while it is active.</summary>
        public DateTime? DeletedAt { get; set; }

        /// <summary>False if the record is removed.</summary>
        public bool Active { get; set; }
    }

    /// <summary>One page of a list of users.</summary>
    public sealed class UserPage
    {
        /// <summary>The rows of this page.</summary>
        public List<GrpcServer.Contracts.Records.UserRecord> Data { get; set; } = new();

        /// <summary>Rows on all pages.</summary>
        public int TotalCount { get; set; }

        /// <summary>This page, counted from 1.</summary>
        public int PageNumber { get; set; }

        /// <summary>Rows on a page.</summary>
        public int PageSize { get; set; }
    }

    /// <summary>One project, as it is stored.</summary>
    public sealed class ProjectRecord
    {
        /// <summary>Its id, a UUID.</summary>
        public Guid Id { get; set; }

        /// <summary>The name. Text of at most 200 characters.</summary>
        public string Name { get; set; } = "";

        /// <summary>The organization that the project is for. A UUID.</summary>
        public Guid OrganizationId { get; set; }

        /// <summary>The time of its creation.</summary>
        public DateTime? CreatedAt { get; set; }

        /// <summary>The time of its last change; absent if it was never changed.</summary>
        public DateTime? UpdatedAt { get; set; }

        /// <summary>The time of its removal; absent while it is active.</summary>
        public DateTime? DeletedAt { get; set; }

        /// <summary>False if the record is removed.</summary>
        public bool Active { get; set; }
    }

    /// <summary>One page of a list of projects.</summary>
    public sealed class ProjectPage
    {
        /// <summary>The rows of this page.</summary>
        public List<GrpcServer.Contracts.Records.ProjectRecord> Data { get; set; } = new();

        /// <summary>Rows on all pages.</summary>
        public int TotalCount { get; set; }

        /// <summary>This page, counted from 1.</summary>
        public int PageNumber { get; set; }

        /// <summary>Rows on a page.</summary>
        public int PageSize { get; set; }
    }

    /// <summary>One assignment, as it is stored.</summary>
    public sealed class AssignmentRecord
    {
        /// <summary>Its id, a UUID.</summary>
        public Guid Id { get; set; }

        /// <summary>The name. Text of at most 200 characters.</summary>
        public string Name { get; set; } = "";

        /// <summary>The work to do, in Markdown. Text of at most 2000 characters. Absent if there is none.</summary>
        public string? Description { get; set; }

        /// <summary>The start of the work. A timestamp in UTC.</summary>
        public DateTime? StartDate { get; set; }

        /// <summary>The due date, which is on or after the start date. A timestamp in UTC.</summary>
        public DateTime? EndDate { get; set; }

        /// <summary>The estimate; 0 means that there is none yet. Hours, 0 or more, in multiples of 0.01 or of the coarser step that the host is configured with. A value within 0.000001 of a multiple counts as the multiple.</summary>
        public double AmountHours { get; set; }

        /// <summary>The id of the project.</summary>
        public Guid ProjectId { get; set; }

        /// <summary>The stage that it is in. A UUID.</summary>
        public Guid WorkflowId { get; set; }

        /// <summary>The responsible account. A UUID.</summary>
        public Guid UserId { get; set; }

        /// <summary>The id of the assignment type.</summary>
        public Guid AssignmentTypeId { get; set; }

        /// <summary>The time of its creation.</summary>
        public DateTime? CreatedAt { get; set; }

        /// <summary>The time of its last change; absent if it was never changed.</summary>
        public DateTime? UpdatedAt { get; set; }

        /// <summary>The time of its removal; absent while it is active.</summary>
        public DateTime? DeletedAt { get; set; }

        /// <summary>False if the record is removed.</summary>
        public bool Active { get; set; }
    }

    /// <summary>One page of a list of assignments.</summary>
    public sealed class AssignmentPage
    {
        /// <summary>The rows of this page.</summary>
        public List<GrpcServer.Contracts.Records.AssignmentRecord> Data { get; set; } = new();

        /// <summary>Rows on all pages.</summary>
        public int TotalCount { get; set; }

        /// <summary>This page, counted from 1.</summary>
        public int PageNumber { get; set; }

        /// <summary>Rows on a page.</summary>
        public int PageSize { get; set; }
    }

    /// <summary>One appointment, as it is stored.</summary>
    public sealed class AppointmentRecord
    {
        /// <summary>Its id, a UUID.</summary>
        public Guid Id { get; set; }

        /// <summary>The work done. Text of at most 2000 characters. Absent if there is none.</summary>
        public string? Description { get; set; }

        /// <summary>The date of the work. A timestamp in UTC.</summary>
        public DateTime? KeepDate { get; set; }

        /// <summary>The duration in hours. Hours, greater than 0, in multiples of 0.01 or of the coarser step that the host is configured with. A value within 0.000001 of a multiple counts as the multiple.</summary>
        public double AmountHours { get; set; }

        /// <summary>The id of the assignment.</summary>
        public Guid AssignmentId { get; set; }

        /// <summary>The account that did the work. A UUID.</summary>
        public Guid UserId { get; set; }

        /// <summary>The time of its creation.</summary>
        public DateTime? CreatedAt { get; set; }

        /// <summary>The time of its last change; absent if it was never changed.</summary>
        public DateTime? UpdatedAt { get; set; }

        /// <summary>The time of its removal; absent while it is active.</summary>
        public DateTime? DeletedAt { get; set; }

        /// <summary>False if the record is removed.</summary>
        public bool Active { get; set; }
    }

    /// <summary>One page of a list of appointments.</summary>
    public sealed class AppointmentPage
    {
        /// <summary>The rows of this page.</summary>
        public List<GrpcServer.Contracts.Records.AppointmentRecord> Data { get; set; } = new();

        /// <summary>Rows on all pages.</summary>
        public int TotalCount { get; set; }

        /// <summary>This page, counted from 1.</summary>
        public int PageNumber { get; set; }

        /// <summary>Rows on a page.</summary>
        public int PageSize { get; set; }
    }

    /// <summary>One assignment impediment, as it is stored.</summary>
    public sealed class AssignmentImpedimentRecord
    {
        /// <summary>Its id, a UUID.</summary>
        public Guid Id { get; set; }

        /// <summary>How it blocks the assignment. Text of at most 2000 characters. Absent if there is none.</summary>
        public string? Description { get; set; }

        /// <summary>The id of the assignment.</summary>
        public Guid AssignmentId { get; set; }

        /// <summary>The id of the impediment.</summary>
        public Guid ImpedimentId { get; set; }

        /// <summary>The time of its creation.</summary>
        public DateTime? CreatedAt { get; set; }

        /// <summary>The time of its last change; absent if it was never changed.</summary>
        public DateTime? UpdatedAt { get; set; }

        /// <summary>The time of its removal; absent while it is active.</summary>
        public DateTime? DeletedAt { get; set; }

        /// <summary>False if the record is removed.</summary>
        public bool Active { get; set; }
    }

    /// <summary>One page of a list of assignment impediments.</summary>
    public sealed class AssignmentImpedimentPage
    {
        /// <summary>The rows of this page.</summary>
        public List<GrpcServer.Contracts.Records.AssignmentImpedimentRecord> Data { get; set; } = new();

        /// <summary>Rows on all pages.</summary>
        public int TotalCount { get; set; }

        /// <summary>This page, counted from 1.</summary>
        public int PageNumber { get; set; }

        /// <summary>Rows on a page.</summary>
        public int PageSize { get; set; }
    }

    /// <summary>One user assignment, as it is stored.</summary>
    public sealed class UserAssignmentRecord
    {
        /// <summary>Its id, a UUID.</summary>
        public Guid Id { get; set; }

        /// <summary>The id of the user.</summary>
        public Guid UserId { get; set; }

        /// <summary>The id of the assignment.</summary>
        public Guid AssignmentId { get; set; }

        /// <summary>The time of its creation.</summary>
        public DateTime? CreatedAt { get; set; }

        /// <summary>The time of its last change; absent if it was never changed.</summary>
        public DateTime? UpdatedAt { get; set; }

        /// <summary>The time of its removal; absent while it is active.</summary>
        public DateTime? DeletedAt { get; set; }

        /// <summary>False if the record is removed.</summary>
        public bool Active { get; set; }
    }

    /// <summary>One page of a list of user assignments.</summary>
    public sealed class UserAssignmentPage
    {
        /// <summary>The rows of this page.</summary>
        public List<GrpcServer.Contracts.Records.UserAssignmentRecord> Data { get; set; } = new();

        /// <summary>Rows on all pages.</summary>
        public int TotalCount { get; set; }

        /// <summary>This page, counted from 1.</summary>
        public int PageNumber { get; set; }

        /// <summary>Rows on a page.</summary>
        public int PageSize { get; set; }
    }

    /// <summary>One user project, as it is stored.</summary>
    public sealed class UserProjectRecord
    {
        /// <summary>Its id, a UUID.</summary>
        public Guid Id { get; set; }

        /// <summary>The id of the user.</summary>
        public Guid UserId { get; set; }

        /// <summary>The id of the project.</summary>
        public Guid ProjectId { get; set; }

        /// <summary>The time of its creation.</summary>
        public DateTime? CreatedAt { get; set; }

        /// <summary>The time of its last change; absent if it was never changed.</summary>
        public DateTime? UpdatedAt { get; set; }

        /// <summary>The time of its removal; absent while it is active.</summary>
        public DateTime? DeletedAt { get; set; }

        /// <summary>False if the record is removed.</summary>
        public bool Active { get; set; }
    }

    /// <summary>One page of a list of user projects.</summary>
    public sealed class UserProjectPage
    {
        /// <summary>The rows of this page.</summary>
        public List<GrpcServer.Contracts.Records.UserProjectRecord> Data { get; set; } = new();

        /// <summary>Rows on all pages.</summary>
        public int TotalCount { get; set; }

        /// <summary>This page, counted from 1.</summary>
        public int PageNumber { get; set; }

        /// <summary>Rows on a page.</summary>
        public int PageSize { get; set; }
    }

    /// <summary>Which optional fields an update means, by their names.</summary>
    public sealed class FieldMask
    {
        /// <summary>Names of fields.</summary>
        public List<string> Paths { get; set; } = new();
    }
}

namespace GrpcServer.Contracts.Commands.Organization
{
    /// <summary>Creates one organization.</summary>
    public sealed class CreateOrganizationCommand : ICommand<CreateOrganizationResult>
    {
        /// <summary>A UUID; generated if absent.</summary>
        public Guid Id { get; set; }

        /// <summary>The name. Text of at most 200 characters. Required.</summary>
        public string? Name { get; set; }

        /// <summary>Details. Text of at most 2000 characters. Optional.</summary>
        public string? Description { get; set; }
    }

    /// <summary>The answer to CreateOrganizationCommand.</summary>
    public sealed class CreateOrganizationResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The organization; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.OrganizationRecord? Organization { get; set; }
    }

    /// <summary>Shows one organization.</summary>
    public sealed class GetOrganizationByIdCommand : ICommand<GetOrganizationByIdResult>
    {
        /// <summary>The id of the row. Required.</summary>
        public Guid Id { get; set; }
    }

    /// <summary>The answer to GetOrganizationByIdCommand.</summary>
    public sealed class GetOrganizationByIdResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The organization; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.OrganizationRecord? Organization { get; set; }
    }

    /// <summary>Lists organizations, a page at a time.</summary>
    public sealed class ListOrganizationsCommand : ICommand<ListOrganizationsResult>
    {
        /// <summary>Required; all of its fields are optional.</summary>
        public GrpcServer.Contracts.Records.Pagination? Pagination { get; set; }
    }

    /// <summary>The answer to ListOrganizationsCommand.</summary>
    public sealed class ListOrganizationsResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The page; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.OrganizationPage? Result { get; set; }
    }

    /// <summary>Removes organizations, all or none.</summary>
    public sealed class RemoveOrganizationCommand : ICommand<RemoveOrganizationResult>
    {
        /// <summary>The ids of the rows: 1 to 100 UUIDs; duplicates are ignored. Required.</summary>
        public List<Guid> Ids { get; set; } = new();
    }

    /// <summary>The answer to RemoveOrganizationCommand.</summary>
    public sealed class RemoveOrganizationResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }
    }

    /// <summary>Changes one organization.</summary>
    public sealed class UpdateOrganizationCommand : ICommand<UpdateOrganizationResult>
    {
        /// <summary>The id of the row. Required.</summary>
        public Guid Id { get; set; }

        /// <summary>The name. Text of at most 200 characters. Required.</summary>
        public string? Name { get; set; }

        /// <summary>Details. Text of at most 2000 characters. If absent, it is cleared; with an UpdateMask, only if the mask names it.</summary>
        public string? Description { get; set; }

        /// <summary>The optional fields to write. A field that is named but has no value is cleared; a field that is not named does not change.</summary>
        public GrpcServer.Contracts.Records.FieldMask? UpdateMask { get; set; }
    }

    /// <summary>The answer to UpdateOrganizationCommand.</summary>
    public sealed class UpdateOrganizationResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The organization; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.OrganizationRecord? Organization { get; set; }
    }
}

namespace GrpcServer.Contracts.Commands.Workflow
{
    /// <summary>Creates one workflow.</summary>
    public sealed class CreateWorkflowCommand : ICommand<CreateWorkflowResult>
    {
        /// <summary>A UUID; generated if absent.</summary>
        public Guid Id { get; set; }

        /// <summary>The name. Text of at most 200 characters. Required.</summary>
        public string? Name { get; set; }

        /// <summary>The position among the stages, in ascending order. A whole number from 0 to 2147483647. Required.</summary>
        public int Order { get; set; }
    }

    /// <summary>The answer to CreateWorkflowCommand.</summary>
    public sealed class CreateWorkflowResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The workflow; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.WorkflowRecord? Workflow { get; set; }
    }

    /// <summary>Shows one workflow.</summary>
    public sealed class GetWorkflowByIdCommand : ICommand<GetWorkflowByIdResult>
    {
        /// <summary>The id of the row. Required.</summary>
        public Guid Id { get; set; }
    }

    /// <summary>The answer to GetWorkflowByIdCommand.</summary>
    public sealed class GetWorkflowByIdResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The workflow; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.WorkflowRecord? Workflow { get; set; }
    }

    /// <summary>Lists workflows, a page at a time.</summary>
    public sealed class ListWorkflowsCommand : ICommand<ListWorkflowsResult>
    {
        /// <summary>Required; all of its fields are optional.</summary>
        public GrpcServer.Contracts.Records.Pagination? Pagination { get; set; }
    }

    /// <summary>The answer to ListWorkflowsCommand.</summary>
    public sealed class ListWorkflowsResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The page; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.WorkflowPage? Result { get; set; }
    }

    /// <summary>Removes workflows, all or none.</summary>
    public sealed class RemoveWorkflowCommand : ICommand<RemoveWorkflowResult>
    {
        /// <summary>The ids of the rows: 1 to 100 UUIDs; duplicates are ignored. Required.</summary>
        public List<Guid> Ids { get; set; } = new();
    }

    /// <summary>The answer to RemoveWorkflowCommand.</summary>
    public sealed class RemoveWorkflowResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }
    }

    /// <summary>Changes one workflow.</summary>
    public sealed class UpdateWorkflowCommand : ICommand<UpdateWorkflowResult>
    {
        /// <summary>The id of the row. Required.</summary>
        public Guid Id { get; set; }

        /// <summary>The name. Text of at most 200 characters. Required.</summary>
        public string? Name { get; set; }

        /// <summary>The position among the stages, in ascending order. A whole number from 0 to 2147483647. Required.</summary>
        public int Order { get; set; }
    }

    /// <summary>The answer to UpdateWorkflowCommand.</summary>
    public sealed class UpdateWorkflowResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The workflow; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.WorkflowRecord? Workflow { get; set; }
    }
}

namespace GrpcServer.Contracts.Commands.AssignmentType
{
    /// <summary>Creates one assignment type.</summary>
    public sealed class CreateAssignmentTypeCommand : ICommand<CreateAssignmentTypeResult>
    {
        /// <summary>A UUID; generated if absent.</summary>
        public Guid Id { get; set; }

        /// <summary>The name. Text of at most 200 characters. Required.</summary>
        public string? Name { get; set; }
    }

    /// <summary>The answer to CreateAssignmentTypeCommand.</summary>
    public sealed class CreateAssignmentTypeResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The assignment type; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.AssignmentTypeRecord? AssignmentType { get; set; }
    }

    /// <summary>Shows one assignment type.</summary>
    public sealed class GetAssignmentTypeByIdCommand : ICommand<GetAssignmentTypeByIdResult>
    {
        /// <summary>The id of the row. Required.</summary>
        public Guid Id { get; set; }
    }

    /// <summary>The answer to GetAssignmentTypeByIdCommand.</summary>
    public sealed class GetAssignmentTypeByIdResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The assignment type; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.AssignmentTypeRecord? AssignmentType { get; set; }
    }

    /// <summary>Lists assignment types, a page at a time.</summary>
    public sealed class ListAssignmentTypesCommand : ICommand<ListAssignmentTypesResult>
    {
        /// <summary>Required; all of its fields are optional.</summary>
        public GrpcServer.Contracts.Records.Pagination? Pagination { get; set; }
    }

    /// <summary>The answer to ListAssignmentTypesCommand.</summary>
    public sealed class ListAssignmentTypesResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The page; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.AssignmentTypePage? Result { get; set; }
    }

    /// <summary>Removes assignment types, all or none.</summary>
    public sealed class RemoveAssignmentTypeCommand : ICommand<RemoveAssignmentTypeResult>
    {
        /// <summary>The ids of the rows: 1 to 100 UUIDs; duplicates are ignored. Required.</summary>
        public List<Guid> Ids { get; set; } = new();
    }

    /// <summary>The answer to RemoveAssignmentTypeCommand.</summary>
    public sealed class RemoveAssignmentTypeResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }
    }

    /// <summary>Changes one assignment type.</summary>
    public sealed class UpdateAssignmentTypeCommand : ICommand<UpdateAssignmentTypeResult>
    {
        /// <summary>The id of the row. Required.</summary>
        public Guid Id { get; set; }

        /// <summary>The name. Text of at most 200 characters. Required.</summary>
        public string? Name { get; set; }
    }

    /// <summary>The answer to UpdateAssignmentTypeCommand.</summary>
    public sealed class UpdateAssignmentTypeResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The assignment type; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.AssignmentTypeRecord? AssignmentType { get; set; }
    }
}

namespace GrpcServer.Contracts.Commands.Impediment
{
    /// <summary>Creates one impediment.</summary>
    public sealed class CreateImpedimentCommand : ICommand<CreateImpedimentResult>
    {
        /// <summary>A UUID; generated if absent.</summary>
        public Guid Id { get; set; }

        /// <summary>The name. Text of at most 200 characters. Required.</summary>
        public string? Name { get; set; }
    }

    /// <summary>The answer to CreateImpedimentCommand.</summary>
    public sealed class CreateImpedimentResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The impediment; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.ImpedimentRecord? Impediment { get; set; }
    }

    /// <summary>Shows one impediment.</summary>
    public sealed class GetImpedimentByIdCommand : ICommand<GetImpedimentByIdResult>
    {
        /// <summary>The id of the row. Required.</summary>
        public Guid Id { get; set; }
    }

    /// <summary>The answer to GetImpedimentByIdCommand.</summary>
    public sealed class GetImpedimentByIdResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The impediment; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.ImpedimentRecord? Impediment { get; set; }
    }

    /// <summary>Lists impediments, a page at a time.</summary>
    public sealed class ListImpedimentsCommand : ICommand<ListImpedimentsResult>
    {
        /// <summary>Required; all of its fields are optional.</summary>
        public GrpcServer.Contracts.Records.Pagination? Pagination { get; set; }
    }

    /// <summary>The answer to ListImpedimentsCommand.</summary>
    public sealed class ListImpedimentsResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The page; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.ImpedimentPage? Result { get; set; }
    }

    /// <summary>Removes impediments, all or none.</summary>
    public sealed class RemoveImpedimentCommand : ICommand<RemoveImpedimentResult>
    {
        /// <summary>The ids of the rows: 1 to 100 UUIDs; duplicates are ignored. Required.</summary>
        public List<Guid> Ids { get; set; } = new();
    }

    /// <summary>The answer to RemoveImpedimentCommand.</summary>
    public sealed class RemoveImpedimentResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }
    }

    /// <summary>Changes one impediment.</summary>
    public sealed class UpdateImpedimentCommand : ICommand<UpdateImpedimentResult>
    {
        /// <summary>The id of the row. Required.</summary>
        public Guid Id { get; set; }

        /// <summary>The name. Text of at most 200 characters. Required.</summary>
        public string? Name { get; set; }
    }

    /// <summary>The answer to UpdateImpedimentCommand.</summary>
    public sealed class UpdateImpedimentResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The impediment; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.ImpedimentRecord? Impediment { get; set; }
    }
}

namespace GrpcServer.Contracts.Commands.User
{
    /// <summary>Creates one user.</summary>
    public sealed class CreateUserCommand : ICommand<CreateUserResult>
    {
        /// <summary>A UUID; generated if absent.</summary>
        public Guid Id { get; set; }

        /// <summary>The display name. Text of at most 200 characters. Required.</summary>
        public string? Name { get; set; }

        /// <summary>The sign-in name, unique among active accounts regardless of case. Text of at most 256 characters. Required.</summary>
        public string? Login { get; set; }

        /// <summary>The password, which no answer contains. 8 to 128 characters: a lower-case letter, an upper-case letter, a digit and another character among them, no control characters; no common password, and not the login. Required.</summary>
        public string? Password { get; set; }
    }

    /// <summary>The answer to CreateUserCommand.</summary>
    public sealed class CreateUserResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The user; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.UserRecord? User { get; set; }
    }

    /// <summary>Shows one user.</summary>
    public sealed class GetUserByIdCommand : ICommand<GetUserByIdResult>
    {
        /// <summary>The id of the row. Required.</summary>
        public Guid Id { get; set; }
    }

    /// <summary>The answer to GetUserByIdCommand.</summary>
    public sealed class GetUserByIdResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The user; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.UserRecord? User { get; set; }
    }

    /// <summary>Lists users, a page at a time.</summary>
    public sealed class ListUsersCommand : ICommand<ListUsersResult>
    {
        /// <summary>Required; all of its fields are optional.</summary>
        public GrpcServer.Contracts.Records.Pagination? Pagination { get; set; }
    }

    /// <summary>The answer to ListUsersCommand.</summary>
    public sealed class ListUsersResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The page; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.UserPage? Result { get; set; }
    }

    /// <summary>Removes users, all or none.</summary>
    public sealed class RemoveUserCommand : ICommand<RemoveUserResult>
    {
        /// <summary>The ids of the rows: 1 to 100 UUIDs; duplicates are ignored. Required.</summary>
        public List<Guid> Ids { get; set; } = new();
    }

    /// <summary>The answer to RemoveUserCommand.</summary>
    public sealed class RemoveUserResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }
    }

    /// <summary>Changes one user.</summary>
    public sealed class UpdateUserCommand : ICommand<UpdateUserResult>
    {
        /// <summary>The id of the row. Required.</summary>
        public Guid Id { get; set; }

        /// <summary>The display name. Text of at most 200 characters. Required.</summary>
        public string? Name { get; set; }

        /// <summary>The sign-in name, unique among active accounts regardless of case. Text of at most 256 characters. If absent, it does not change.</summary>
        public string? Login { get; set; }

        /// <summary>The password, which no answer contains. 8 to 128 characters: a lower-case letter, an upper-case letter, a digit and another character among them, no control characters; no common password, and not the login. If absent, it does not change.</summary>
        public string? Password { get; set; }
    }

    /// <summary>The answer to UpdateUserCommand.</summary>
    public sealed class UpdateUserResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The user; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.UserRecord? User { get; set; }
    }
}

namespace GrpcServer.Contracts.Commands.Project
{
    /// <summary>Creates one project.</summary>
    public sealed class CreateProjectCommand : ICommand<CreateProjectResult>
    {
        /// <summary>A UUID; generated if absent.</summary>
        public Guid Id { get; set; }

        /// <summary>The name. Text of at most 200 characters. Required.</summary>
        public string? Name { get; set; }

        /// <summary>The organization that the project is for. A UUID. Required.</summary>
        public Guid OrganizationId { get; set; }
    }

    /// <summary>The answer to CreateProjectCommand.</summary>
    public sealed class CreateProjectResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The project; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.ProjectRecord? Project { get; set; }
    }

    /// <summary>Shows one project.</summary>
    public sealed class GetProjectByIdCommand : ICommand<GetProjectByIdResult>
    {
        /// <summary>The id of the row. Required.</summary>
        public Guid Id { get; set; }
    }

    /// <summary>The answer to GetProjectByIdCommand.</summary>
    public sealed class GetProjectByIdResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The project; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.ProjectRecord? Project { get; set; }
    }

    /// <summary>Lists projects, a page at a time.</summary>
    public sealed class ListProjectsCommand : ICommand<ListProjectsResult>
    {
        /// <summary>Required; all of its fields are optional.</summary>
        public GrpcServer.Contracts.Records.Pagination? Pagination { get; set; }
    }

    /// <summary>The answer to ListProjectsCommand.</summary>
    public sealed class ListProjectsResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The page; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.ProjectPage? Result { get; set; }
    }

    /// <summary>Removes projects, all or none.</summary>
    public sealed class RemoveProjectCommand : ICommand<RemoveProjectResult>
    {
        /// <summary>The ids of the rows: 1 to 100 UUIDs; duplicates are ignored. Required.</summary>
        public List<Guid> Ids { get; set; } = new();
    }

    /// <summary>The answer to RemoveProjectCommand.</summary>
    public sealed class RemoveProjectResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }
    }

    /// <summary>Changes one project.</summary>
    public sealed class UpdateProjectCommand : ICommand<UpdateProjectResult>
    {
        /// <summary>The id of the row. Required.</summary>
        public Guid Id { get; set; }

        /// <summary>The name. Text of at most 200 characters. Required.</summary>
        public string? Name { get; set; }

        /// <summary>The organization that the project is for. A UUID. Required.</summary>
        public Guid OrganizationId { get; set; }

        /// <summary>updatedAt of the version that was read, or its createdAt if that is null. If the project has changed since, the update fails: 409 over REST, `success: false` over commands. A timestamp in UTC. If absent, the last write wins.</summary>
        public DateTime? ExpectedVersion { get; set; }
    }

    /// <summary>The answer to UpdateProjectCommand.</summary>
    public sealed class UpdateProjectResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The project; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.ProjectRecord? Project { get; set; }
    }
}

namespace GrpcServer.Contracts.Commands.Assignment
{
    /// <summary>Creates one assignment.</summary>
    public sealed class CreateAssignmentCommand : ICommand<CreateAssignmentResult>
    {
        /// <summary>A UUID; generated if absent.</summary>
        public Guid Id { get; set; }

        /// <summary>The name. Text of at most 200 characters. Required.</summary>
        public string? Name { get; set; }

        /// <summary>The work to do, in Markdown. Text of at most 2000 characters. Optional.</summary>
        public string? Description { get; set; }

        /// <summary>The start of the work. A timestamp in UTC. Required.</summary>
        public DateTime? StartDate { get; set; }

        /// <summary>The due date, which is on or after the start date. A timestamp in UTC. Required.</summary>
        public DateTime? EndDate { get; set; }

        /// <summary>The estimate; 0 means that there is none yet. Hours, 0 or more, in multiples of 0.01 or of the coarser step that the host is configured with. A value within 0.000001 of a multiple counts as the multiple. Required.</summary>
        public double AmountHours { get; set; }

        /// <summary>The id of the project. Required.</summary>
        public Guid ProjectId { get; set; }

        /// <summary>The stage that it is in. A UUID. Required.</summary>
        public Guid WorkflowId { get; set; }

        /// <summary>The responsible account. A UUID. Required.</summary>
        public Guid UserId { get; set; }

        /// <summary>The id of the assignment type. Required.</summary>
        public Guid AssignmentTypeId { get; set; }
    }

    /// <summary>The answer to CreateAssignmentCommand.</summary>
    public sealed class CreateAssignmentResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The assignment; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.AssignmentRecord? Assignment { get; set; }
    }

    /// <summary>Shows one assignment.</summary>
    public sealed class GetAssignmentByIdCommand : ICommand<GetAssignmentByIdResult>
    {
        /// <summary>The id of the row. Required.</summary>
        public Guid Id { get; set; }
    }

    /// <summary>The answer to GetAssignmentByIdCommand.</summary>
    public sealed class GetAssignmentByIdResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The assignment; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.AssignmentRecord? Assignment { get; set; }
    }

    /// <summary>Lists assignments, a page at a time.</summary>
    public sealed class ListAssignmentsCommand : ICommand<ListAssignmentsResult>
    {
        /// <summary>Required; all of its fields are optional.</summary>
        public GrpcServer.Contracts.Records.Pagination? Pagination { get; set; }
    }

    /// <summary>The answer to ListAssignmentsCommand.</summary>
    public sealed class ListAssignmentsResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The page; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.AssignmentPage? Result { get; set; }
    }

    /// <summary>Removes assignments, all or none.</summary>
    public sealed class RemoveAssignmentCommand : ICommand<RemoveAssignmentResult>
    {
        /// <summary>The ids of the rows: 1 to 100 UUIDs; duplicates are ignored. Required.</summary>
        public List<Guid> Ids { get; set; } = new();
    }

    /// <summary>The answer to RemoveAssignmentCommand.</summary>
    public sealed class RemoveAssignmentResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }
    }

    /// <summary>Changes one assignment.</summary>
    public sealed class UpdateAssignmentCommand : ICommand<UpdateAssignmentResult>
    {
        /// <summary>The id of the row. Required.</summary>
        public Guid Id { get; set; }

        /// <summary>The name. Text of at most 200 characters. Required.</summary>
        public string? Name { get; set; }

        /// <summary>The work to do, in Markdown. Text of at most 2000 characters. If absent, it is cleared; with an UpdateMask, only if the mask names it.</summary>
        public string? Description { get; set; }

        /// <summary>The start of the work. A timestamp in UTC. Required.</summary>
        public DateTime? StartDate { get; set; }

        /// <summary>The due date, which is on or after the start date. A timestamp in UTC. Required.</summary>
        public DateTime? EndDate { get; set; }

        /// <summary>The estimate; 0 means that there is none yet. Hours, 0 or more, in multiples of 0.01 or of the coarser step that the host is configured with. A value within 0.000001 of a multiple counts as the multiple. Required.</summary>
        public double AmountHours { get; set; }

        /// <summary>The id of the project. Required.</summary>
        public Guid ProjectId { get; set; }

        /// <summary>The stage that it is in. A UUID. Required.</summary>
        public Guid WorkflowId { get; set; }

        /// <summary>The responsible account. A UUID. Required.</summary>
        public Guid UserId { get; set; }

        /// <summary>The id of the assignment type. Required.</summary>
        public Guid AssignmentTypeId { get; set; }

        /// <summary>The optional fields to write. A field that is named but has no value is cleared; a field that is not named does not change.</summary>
        public GrpcServer.Contracts.Records.FieldMask? UpdateMask { get; set; }
    }

    /// <summary>The answer to UpdateAssignmentCommand.</summary>
    public sealed class UpdateAssignmentResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The assignment; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.AssignmentRecord? Assignment { get; set; }
    }
}

namespace GrpcServer.Contracts.Commands.Appointment
{
    /// <summary>Creates one appointment.</summary>
    public sealed class CreateAppointmentCommand : ICommand<CreateAppointmentResult>
    {
        /// <summary>A UUID; generated if absent.</summary>
        public Guid Id { get; set; }

        /// <summary>The work done. Text of at most 2000 characters. Optional.</summary>
        public string? Description { get; set; }

        /// <summary>The date of the work. A timestamp in UTC. Required.</summary>
        public DateTime? KeepDate { get; set; }

        /// <summary>The duration in hours. Hours, greater than 0, in multiples of 0.01 or of the coarser step that the host is configured with. A value within 0.000001 of a multiple counts as the multiple. Required.</summary>
        public double AmountHours { get; set; }

        /// <summary>The id of the assignment. Required.</summary>
        public Guid AssignmentId { get; set; }

        /// <summary>The account that did the work. A UUID. Required.</summary>
        public Guid UserId { get; set; }
    }

    /// <summary>The answer to CreateAppointmentCommand.</summary>
    public sealed class CreateAppointmentResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The appointment; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.AppointmentRecord? Appointment { get; set; }
    }

    /// <summary>Shows one appointment.</summary>
    public sealed class GetAppointmentByIdCommand : ICommand<GetAppointmentByIdResult>
    {
        /// <summary>The id of the row. Required.</summary>
        public Guid Id { get; set; }
    }

    /// <summary>The answer to GetAppointmentByIdCommand.</summary>
    public sealed class GetAppointmentByIdResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The appointment; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.AppointmentRecord? Appointment { get; set; }
    }

    /// <summary>Lists appointments, a page at a time.</summary>
    public sealed class ListAppointmentsCommand : ICommand<ListAppointmentsResult>
    {
        /// <summary>Required; all of its fields are optional.</summary>
        public GrpcServer.Contracts.Records.Pagination? Pagination { get; set; }
    }

    /// <summary>The answer to ListAppointmentsCommand.</summary>
    public sealed class ListAppointmentsResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The page; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.AppointmentPage? Result { get; set; }
    }

    /// <summary>Removes appointments, all or none.</summary>
    public sealed class RemoveAppointmentCommand : ICommand<RemoveAppointmentResult>
    {
        /// <summary>The ids of the rows: 1 to 100 UUIDs; duplicates are ignored. Required.</summary>
        public List<Guid> Ids { get; set; } = new();
    }

    /// <summary>The answer to RemoveAppointmentCommand.</summary>
    public sealed class RemoveAppointmentResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }
    }

    /// <summary>Changes one appointment.</summary>
    public sealed class UpdateAppointmentCommand : ICommand<UpdateAppointmentResult>
    {
        /// <summary>The id of the row. Required.</summary>
        public Guid Id { get; set; }

        /// <summary>The work done. Text of at most 2000 characters. If absent, it is cleared; with an UpdateMask, only if the mask names it.</summary>
        public string? Description { get; set; }

        /// <summary>The date of the work. A timestamp in UTC. Required.</summary>
        public DateTime? KeepDate { get; set; }

        /// <summary>The duration in hours. Hours, greater than 0, in multiples of 0.01 or of the coarser step that the host is configured with. A value within 0.000001 of a multiple counts as the multiple. Required.</summary>
        public double AmountHours { get; set; }

        /// <summary>The id of the assignment. Required.</summary>
        public Guid AssignmentId { get; set; }

        /// <summary>The account that did the work. A UUID. Required.</summary>
        public Guid UserId { get; set; }

        /// <summary>The optional fields to write. A field that is named but has no value is cleared; a field that is not named does not change.</summary>
        public GrpcServer.Contracts.Records.FieldMask? UpdateMask { get; set; }
    }

    /// <summary>The answer to UpdateAppointmentCommand.</summary>
    public sealed class UpdateAppointmentResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The appointment; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.AppointmentRecord? Appointment { get; set; }
    }
}

namespace GrpcServer.Contracts.Commands.AssignmentImpediment
{
    /// <summary>Creates one assignment impediment.</summary>
    public sealed class CreateAssignmentImpedimentCommand : ICommand<CreateAssignmentImpedimentResult>
    {
        /// <summary>A UUID; generated if absent.</summary>
        public Guid Id { get; set; }

        /// <summary>How it blocks the assignment. Text of at most 2000 characters. Optional.</summary>
        public string? Description { get; set; }

        /// <summary>The id of the assignment. Required.</summary>
        public Guid AssignmentId { get; set; }

        /// <summary>The id of the impediment. Required.</summary>
        public Guid ImpedimentId { get; set; }
    }

    /// <summary>The answer to CreateAssignmentImpedimentCommand.</summary>
    public sealed class CreateAssignmentImpedimentResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The assignment impediment; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.AssignmentImpedimentRecord? AssignmentImpediment { get; set; }
    }

    /// <summary>Shows one assignment impediment.</summary>
    public sealed class GetAssignmentImpedimentByIdCommand : ICommand<GetAssignmentImpedimentByIdResult>
    {
        /// <summary>The id of the row. Required.</summary>
        public Guid Id { get; set; }
    }

    /// <summary>The answer to GetAssignmentImpedimentByIdCommand.</summary>
    public sealed class GetAssignmentImpedimentByIdResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The assignment impediment; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.AssignmentImpedimentRecord? AssignmentImpediment { get; set; }
    }

    /// <summary>Lists assignment impediments, a page at a time.</summary>
    public sealed class ListAssignmentImpedimentsCommand : ICommand<ListAssignmentImpedimentsResult>
    {
        /// <summary>Required; all of its fields are optional.</summary>
        public GrpcServer.Contracts.Records.Pagination? Pagination { get; set; }
    }

    /// <summary>The answer to ListAssignmentImpedimentsCommand.</summary>
    public sealed class ListAssignmentImpedimentsResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The page; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.AssignmentImpedimentPage? Result { get; set; }
    }

    /// <summary>Removes assignment impediments, all or none.</summary>
    public sealed class RemoveAssignmentImpedimentCommand : ICommand<RemoveAssignmentImpedimentResult>
    {
        /// <summary>The ids of the rows: 1 to 100 UUIDs; duplicates are ignored. Required.</summary>
        public List<Guid> Ids { get; set; } = new();
    }

    /// <summary>The answer to RemoveAssignmentImpedimentCommand.</summary>
    public sealed class RemoveAssignmentImpedimentResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }
    }

    /// <summary>Changes one assignment impediment.</summary>
    public sealed class UpdateAssignmentImpedimentCommand : ICommand<UpdateAssignmentImpedimentResult>
    {
        /// <summary>The id of the row. Required.</summary>
        public Guid Id { get; set; }

        /// <summary>How it blocks the assignment. Text of at most 2000 characters. If absent, it is cleared; with an UpdateMask, only if the mask names it.</summary>
        public string? Description { get; set; }

        /// <summary>The id of the assignment. Required.</summary>
        public Guid AssignmentId { get; set; }

        /// <summary>The id of the impediment. Required.</summary>
        public Guid ImpedimentId { get; set; }

        /// <summary>The optional fields to write. A field that is named but has no value is cleared; a field that is not named does not change.</summary>
        public GrpcServer.Contracts.Records.FieldMask? UpdateMask { get; set; }
    }

    /// <summary>The answer to UpdateAssignmentImpedimentCommand.</summary>
    public sealed class UpdateAssignmentImpedimentResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The assignment impediment; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.AssignmentImpedimentRecord? AssignmentImpediment { get; set; }
    }
}

namespace GrpcServer.Contracts.Commands.UserAssignment
{
    /// <summary>Creates one user assignment.</summary>
    public sealed class CreateUserAssignmentCommand : ICommand<CreateUserAssignmentResult>
    {
        /// <summary>A UUID; generated if absent.</summary>
        public Guid Id { get; set; }

        /// <summary>The id of the user. Required.</summary>
        public Guid UserId { get; set; }

        /// <summary>The id of the assignment. Required.</summary>
        public Guid AssignmentId { get; set; }
    }

    /// <summary>The answer to CreateUserAssignmentCommand.</summary>
    public sealed class CreateUserAssignmentResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The user assignment; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.UserAssignmentRecord? UserAssignment { get; set; }
    }

    /// <summary>Shows one user assignment.</summary>
    public sealed class GetUserAssignmentByIdCommand : ICommand<GetUserAssignmentByIdResult>
    {
        /// <summary>The id of the row. Required.</summary>
        public Guid Id { get; set; }
    }

    /// <summary>The answer to GetUserAssignmentByIdCommand.</summary>
    public sealed class GetUserAssignmentByIdResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The user assignment; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.UserAssignmentRecord? UserAssignment { get; set; }
    }

    /// <summary>Lists user assignments, a page at a time.</summary>
    public sealed class ListUserAssignmentsCommand : ICommand<ListUserAssignmentsResult>
    {
        /// <summary>Required; all of its fields are optional.</summary>
        public GrpcServer.Contracts.Records.Pagination? Pagination { get; set; }
    }

    /// <summary>The answer to ListUserAssignmentsCommand.</summary>
    public sealed class ListUserAssignmentsResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The page; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.UserAssignmentPage? Result { get; set; }
    }

    /// <summary>Removes user assignments, all or none.</summary>
    public sealed class RemoveUserAssignmentCommand : ICommand<RemoveUserAssignmentResult>
    {
        /// <summary>The ids of the rows: 1 to 100 UUIDs; duplicates are ignored. Required.</summary>
        public List<Guid> Ids { get; set; } = new();
    }

    /// <summary>The answer to RemoveUserAssignmentCommand.</summary>
    public sealed class RemoveUserAssignmentResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }
    }

    /// <summary>Changes one user assignment.</summary>
    public sealed class UpdateUserAssignmentCommand : ICommand<UpdateUserAssignmentResult>
    {
        /// <summary>The id of the row. Required.</summary>
        public Guid Id { get; set; }

        /// <summary>The id of the user. Required.</summary>
        public Guid UserId { get; set; }

        /// <summary>The id of the assignment. Required.</summary>
        public Guid AssignmentId { get; set; }
    }

    /// <summary>The answer to UpdateUserAssignmentCommand.</summary>
    public sealed class UpdateUserAssignmentResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The user assignment; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.UserAssignmentRecord? UserAssignment { get; set; }
    }
}

namespace GrpcServer.Contracts.Commands.UserProject
{
    /// <summary>Creates one user project.</summary>
    public sealed class CreateUserProjectCommand : ICommand<CreateUserProjectResult>
    {
        /// <summary>A UUID; generated if absent.</summary>
        public Guid Id { get; set; }

        /// <summary>The id of the user. Required.</summary>
        public Guid UserId { get; set; }

        /// <summary>The id of the project. Required.</summary>
        public Guid ProjectId { get; set; }
    }

    /// <summary>The answer to CreateUserProjectCommand.</summary>
    public sealed class CreateUserProjectResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The user project; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.UserProjectRecord? UserProject { get; set; }
    }

    /// <summary>Shows one user project.</summary>
    public sealed class GetUserProjectByIdCommand : ICommand<GetUserProjectByIdResult>
    {
        /// <summary>The id of the row. Required.</summary>
        public Guid Id { get; set; }
    }

    /// <summary>The answer to GetUserProjectByIdCommand.</summary>
    public sealed class GetUserProjectByIdResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The user project; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.UserProjectRecord? UserProject { get; set; }
    }

    /// <summary>Lists user projects, a page at a time.</summary>
    public sealed class ListUserProjectsCommand : ICommand<ListUserProjectsResult>
    {
        /// <summary>Required; all of its fields are optional.</summary>
        public GrpcServer.Contracts.Records.Pagination? Pagination { get; set; }
    }

    /// <summary>The answer to ListUserProjectsCommand.</summary>
    public sealed class ListUserProjectsResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The page; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.UserProjectPage? Result { get; set; }
    }

    /// <summary>Removes user projects, all or none.</summary>
    public sealed class RemoveUserProjectCommand : ICommand<RemoveUserProjectResult>
    {
        /// <summary>The ids of the rows: 1 to 100 UUIDs; duplicates are ignored. Required.</summary>
        public List<Guid> Ids { get; set; } = new();
    }

    /// <summary>The answer to RemoveUserProjectCommand.</summary>
    public sealed class RemoveUserProjectResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }
    }

    /// <summary>Changes one user project.</summary>
    public sealed class UpdateUserProjectCommand : ICommand<UpdateUserProjectResult>
    {
        /// <summary>The id of the row. Required.</summary>
        public Guid Id { get; set; }

        /// <summary>The id of the user. Required.</summary>
        public Guid UserId { get; set; }

        /// <summary>The id of the project. Required.</summary>
        public Guid ProjectId { get; set; }
    }

    /// <summary>The answer to UpdateUserProjectCommand.</summary>
    public sealed class UpdateUserProjectResult
    {
        /// <summary>False for a missing row and for a stale version. Every other error ends the call with a gRPC status.</summary>
        public bool Success { get; set; }

        /// <summary>The outcome, as a sentence.</summary>
        public string? Message { get; set; }

        /// <summary>The user project; absent when success is false.</summary>
        public GrpcServer.Contracts.Records.UserProjectRecord? UserProject { get; set; }
    }
}
